package cert

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/jackc/pgx/v5"
	"github.com/mholt/acmez/v3/acme"

	"gateway/internal/change"
	"gateway/internal/component/cert/pemfiles"
	"gateway/internal/db"
	"gateway/internal/secret"
	"gateway/internal/setupstate"
)

func accountPlace(id string) secret.Place {
	return secret.Place{Table: "acme_accounts", Column: "private_key", Row: id}
}

// account is ours at the authority; the first order makes it.
func (s *service) account(ctx context.Context, client *authority, settings setupstate.ACME) (acme.Account, error) {
	var id string
	var sealed []byte
	a := acme.Account{Status: acme.StatusValid}
	err := s.DB.QueryRow(ctx, `select id::text, location, private_key from acme_accounts where directory_url = $1`, settings.DirectoryURL).
		Scan(&id, &a.Location, &sealed)
	if errors.Is(err, pgx.ErrNoRows) {
		return s.register(ctx, client, settings)
	}
	if err != nil {
		return a, fmt.Errorf("read the account: %w", err)
	}
	text, err := s.Box.Open(sealed, accountPlace(id))
	if err == nil {
		a.PrivateKey, err = pemfiles.ParseKey(text)
	}
	if err != nil {
		if err := s.forgetAccount(ctx, settings.DirectoryURL); err != nil {
			return a, err
		}
		return a, troubled(accountLost, err, "the key of this node's ACME account cannot be decrypted")
	}
	return a, nil
}

func (s *service) register(ctx context.Context, client *authority, settings setupstate.ACME) (acme.Account, error) {
	if !settings.TermsAgreed {
		return acme.Account{}, troubled(termsNotAgreed, nil, "the certificate authority's terms of service are not agreed to")
	}
	key, err := newKey(ecdsaP256)
	if err != nil {
		return acme.Account{}, fmt.Errorf("make an account key: %w", err)
	}
	wanted := acme.Account{TermsOfServiceAgreed: true, PrivateKey: key}
	if settings.Email != "" {
		wanted.Contact = []string{"mailto:" + settings.Email}
	}
	made, err := client.NewAccount(ctx, wanted)
	if err != nil {
		return acme.Account{}, s.classify(ctx, settings, client, nil, err)
	}
	text, err := pemfiles.EncodeKey(key)
	if err != nil {
		return acme.Account{}, err
	}
	id, now := db.NewID(), s.Now()
	err = s.Run.Run(ctx, change.Change{Component: "cert", Action: "cert.acme_account.create", Subject: host(settings.DirectoryURL), Actor: actor}, func(tx change.Tx) error {
		_, err := tx.Exec(ctx, `insert into acme_accounts (id, revision, created_at, updated_at, directory_url, email, location, private_key)
			values ($1, 1, $2, $2, $3, $4, $5, $6)`, id, now, settings.DirectoryURL, settings.Email, made.Location, s.Box.Seal(text, accountPlace(id)))
		return err
	})
	if err != nil {
		return acme.Account{}, fmt.Errorf("store the account: %w", err)
	}
	return made, nil
}

// forgetAccount lets the next order register anew.
func (s *service) forgetAccount(ctx context.Context, directory string) error {
	c := change.Change{Component: "cert", Action: "cert.acme_account.delete", Subject: host(directory), Actor: actor}
	return s.Run.Run(ctx, c, func(tx change.Tx) error {
		_, err := tx.Exec(ctx, `delete from acme_accounts where directory_url = $1`, directory)
		if err != nil {
			return fmt.Errorf("forget the account: %w", err)
		}
		return nil
	})
}

// host names an authority for people.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	return u.Host
}
