package tunnel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"gateway/internal/api"
	"gateway/internal/component/tunnel/wgquick"
	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
)

// Importable is a file of wg-quick on this node.
type Importable struct {
	Name      string         `json:"name" doc:"Name of the interface: that of the file without .conf" example:"wg0"`
	AlreadyIn bool           `json:"already_in" doc:"Whether a tunnel has this name already; it is not imported then"`
	Mode      string         `json:"mode" doc:"server or client, as it would be imported; empty if the file cannot be read"`
	Peers     int            `json:"peers" doc:"Number of peers in the file"`
	NotTaken  []wgquick.Left `json:"not_taken" doc:"Lines that an import leaves out; commands such as PostUp are never run"`
	Problem   string         `json:"problem" doc:"Why the file cannot be imported; empty if it can"`

	config wgquick.Config
}

// ImportInput says what to import.
type ImportInput struct {
	Names []string `json:"names,omitempty" maxItems:"200" doc:"Names of interfaces; none for all that are not there yet" example:"[\"wg0\"]"`
}

// Imported is a tunnel that an import made.
type Imported struct {
	Name     string         `json:"name" doc:"Name of the interface"`
	ID       string         `json:"id" doc:"Id of the tunnel"`
	Peers    int            `json:"peers" doc:"Number of its peers"`
	NotTaken []wgquick.Left `json:"not_taken" doc:"Lines that were left out"`
}

// Skipped is a file that was not imported.
type Skipped struct {
	Name   string `json:"name" doc:"Name of the interface"`
	Reason string `json:"reason" doc:"Why it was not imported"`
}

// ImportResult is what became of an import.
type ImportResult struct {
	Imported []Imported `json:"imported" doc:"Tunnels that were created"`
	Skipped  []Skipped  `json:"skipped" doc:"Files that were not imported"`
}

func (t *tunnels) importRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "list-tunnel-importable", Method: http.MethodGet, Path: "/tunnel/importable", Access: api.Viewer, AtOnce: 2,
		Summary:     "Configuration files of wg-quick on this node",
		Description: "Those in /etc/wireguard, with what an import would make of them. Keys are not shown.",
	}, t.listImportable)
	api.Handle(r, api.Op{
		ID: "import-tunnels", Method: http.MethodPost, Path: "/tunnel/import", Config: true, Timeout: time.Minute,
		Summary: "Import configuration files of wg-quick",
		Description: "Creates tunnels and peers from the files in /etc/wireguard, as one change; the files stay. Without names, all that can be imported are; with names, all of these or none. " +
			"Commands in a file (PostUp and others) are never run.",
	}, func(ctx context.Context, in *struct {
		Body *ImportInput `required:"false"`
	},
	) (*api.Body[ImportResult], error) {
		var names []string
		if in.Body != nil {
			names = in.Body.Names
		}
		out, err := t.importThese(ctx, r, names)
		if err != nil {
			return nil, err
		}
		return api.OK(out), nil
	})
}

func (t *tunnels) listImportable(ctx context.Context, _ *struct{}) (*api.Page[Importable], error) {
	all, err := t.importable(ctx)
	if err != nil {
		return nil, err
	}
	out := &api.Page[Importable]{Total: int64(len(all))}
	out.Body.Data = all
	return out, nil
}

// importable reads the files, by gateway-apply: only root may.
func (t *tunnels) importable(ctx context.Context) ([]Importable, error) {
	var files wireguard.Files
	if err := t.ask(ctx, wireguard.ImportableVerb, nil, &files); err != nil {
		return nil, err
	}
	rows, err := db.List[struct{ Name string }](ctx, t.DB, `select name from tunnel_interfaces`)
	if err != nil {
		return nil, fmt.Errorf("list tunnels: %w", err)
	}
	out := make([]Importable, 0, len(files.Files))
	for _, f := range files.Files {
		one := Importable{Name: f.Name, NotTaken: []wgquick.Left{}}
		one.AlreadyIn = slices.ContainsFunc(rows, func(r struct{ Name string }) bool { return r.Name == f.Name })
		one.judge(f)
		out = append(out, one)
	}
	return out, nil
}

// judge reads the file.
func (i *Importable) judge(f wireguard.File) {
	var err error
	switch {
	case f.TooLong:
		err = fault.Say("is not a text file of at most %d KiB", wgquick.MaxSize>>10)
	case !wireguard.ValidName(f.Name):
		err = fault.Say("is not the name of an interface")
	default:
		i.config, err = wgquick.Parse(f.Text)
	}
	if err != nil {
		i.Problem = err.Error()
		return
	}
	i.Mode, i.Peers = wireguard.Server, len(i.config.Peers)
	if i.config.Client() {
		i.Mode = wireguard.Client
	}
	i.NotTaken = append(i.NotTaken, i.config.Left...)
	if i.Mode == wireguard.Client && len(i.config.DNS) > 0 {
		i.NotTaken = append(i.NotTaken, wgquick.Left{Name: "DNS"})
	}
}

func (t *tunnels) importThese(ctx context.Context, r api.Router, names []string) (ImportResult, error) {
	out := ImportResult{Imported: []Imported{}, Skipped: []Skipped{}}
	all, err := t.importable(ctx)
	if err != nil {
		return out, err
	}
	if len(names) > 0 {
		if all, err = chosen(all, names); err != nil {
			return out, err
		}
	} else {
		all = out.fit(all)
	}
	for len(all) > 0 {
		failed, err := t.create(ctx, r, all, &out)
		f, worded := fault.Of(err)
		switch {
		case err == nil:
			return out, nil
		case failed < 0 || !worded:
			return out, err
		case len(names) > 0:
			return out, errors.Join(fault.New(f.Kind, "%s cannot be imported: %s", all[failed].Name, f.Error()), err)
		}
		out.skip(all[failed].Name, f.Error())
		all = slices.Delete(all, failed, failed+1)
	}
	return out, nil
}

func (out *ImportResult) skip(name, why string) {
	out.Skipped = append(out.Skipped, Skipped{name, why})
}

// fit leaves out what cannot be imported.
func (out *ImportResult) fit(all []Importable) []Importable {
	return slices.DeleteFunc(all, func(i Importable) bool {
		switch {
		case i.AlreadyIn:
			out.skip(i.Name, "is a tunnel already")
		case i.Problem != "":
			out.skip(i.Name, i.Problem)
		}
		return i.AlreadyIn || i.Problem != ""
	})
}

// chosen are those with these names, each once; all of them must do.
func chosen(all []Importable, names []string) ([]Importable, error) {
	var out []Importable
	for _, name := range names {
		i := slices.IndexFunc(all, func(one Importable) bool { return one.Name == name })
		switch {
		case i < 0:
			return nil, fault.New(fault.NotFound, "there is no configuration file for %s", name)
		case all[i].AlreadyIn:
			return nil, fault.New(fault.Conflict, "%s is a tunnel already", name).WithCode("already_in")
		case all[i].Problem != "":
			return nil, fault.New(fault.Invalid, "%s cannot be imported: %s", name, all[i].Problem)
		case !slices.ContainsFunc(out, func(one Importable) bool { return one.Name == name }):
			out = append(out, all[i])
		}
	}
	return out, nil
}

// create makes tunnels and peers by the operations that an operator would call, as one change.
// It returns which one was refused, or -1.
func (t *tunnels) create(ctx context.Context, r api.Router, all []Importable, out *ImportResult) (failed int, err error) {
	names := make([]string, len(all))
	for i, one := range all {
		names[i] = one.Name
	}
	var made []Imported
	failed = -1
	err = t.Run.Batch(ctx, "import of "+strings.Join(names, ", "), func(ctx context.Context) error {
		for i, one := range all {
			id := db.NewID()
			if err := one.create(ctx, r, id); err != nil {
				failed = i
				return err
			}
			made = append(made, Imported{Name: one.Name, ID: id, Peers: one.Peers, NotTaken: one.NotTaken})
		}
		return nil
	})
	if err == nil {
		out.Imported = append(out.Imported, made...)
	}
	return failed, err
}

type fields map[string]any

func (i Importable) create(ctx context.Context, r api.Router, id string) error {
	c := i.config
	body := fields{"name": i.Name, "mode": i.Mode, "address_cidr": strings.Join(c.Addresses, ","), "private_key": c.PrivateKey.Reveal()}
	if c.ListenPort > 0 {
		body["listen_port"] = c.ListenPort
	}
	if c.MTU > 0 {
		body["mtu"] = c.MTU
	}
	if i.Mode == wireguard.Server {
		body["dns"] = strings.Join(c.DNS, ",")
	}
	if err := post(resource.WithID(ctx, id), r, interfacesPath, body); err != nil {
		return err
	}
	names := map[string]bool{}
	for n, p := range c.Peers {
		body := fields{
			"interface_id": id, "name": peerName(p.Name, n+1, names), "public_key": p.PublicKey, "allowed_ips": p.AllowedIPs,
			"endpoint": p.Endpoint, "keepalive": p.Keepalive,
		}
		if p.PresharedKey != "" {
			body["preshared_key"] = p.PresharedKey.Reveal()
		}
		if err := post(ctx, r, peersPath, body); err != nil {
			return err
		}
	}
	return nil
}

// peerName is that of the file, or a number; no two have the same.
func peerName(name string, n int, names map[string]bool) string {
	if name == "" || names[name] {
		name = strings.TrimSpace(fmt.Sprintf("%s peer %d", name, n))
	}
	for names[name] {
		name += "'"
	}
	names[name] = true
	return name
}

func post(ctx context.Context, r api.Router, path string, body fields) error {
	text, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("write a request: %w", err)
	}
	_, err = r.Call(ctx, api.Call{Method: http.MethodPost, Path: path, Body: text})
	return err
}
