package sys

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
)

// Nft looks at the packet filter in the kernel. It needs CAP_NET_ADMIN, so only the
// applier uses it.
type Nft struct{ run Runner }

// NewNft asks the nft program through run, which is Run but in tests.
func NewNft(run Runner) *Nft { return &Nft{run: run} }

type nftListing struct {
	Nftables []struct {
		Table *nftTable `json:"table"`
	} `json:"nftables"`
}

type nftTable struct {
	Family string `json:"family"`
	Name   string `json:"name"`
}

// TableLoaded reports whether the kernel has that table, with or without rules in it.
func (n *Nft) TableLoaded(ctx context.Context, family, name string) (bool, error) {
	res, err := n.run(ctx, Command{Path: "/usr/sbin/nft", Args: []string{"-j", "list", "tables"}})
	if err != nil {
		return false, fmt.Errorf("list the packet filter's tables: %w", err)
	}
	tables, err := parseTables(res.Stdout)
	if err != nil {
		return false, fmt.Errorf("list the packet filter's tables: %w", err)
	}
	return slices.Contains(tables, nftTable{Family: family, Name: name}), nil
}

func parseTables(listing []byte) ([]nftTable, error) {
	var l nftListing
	if err := json.Unmarshal(listing, &l); err != nil {
		return nil, err
	}
	var tables []nftTable
	for _, item := range l.Nftables {
		if item.Table != nil {
			tables = append(tables, *item.Table)
		}
	}
	return tables, nil
}
