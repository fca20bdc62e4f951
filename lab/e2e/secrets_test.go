package e2e

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// Keys, tokens and passwords that were replaced, deleted, undone or refused are nowhere
// afterwards: not in the history, its differences, the export, a preview, a log or a file.
func TestBarTrust03ReplacedSecrets(t *testing.T) {
	deb := firstDeb(t)
	a := &aviary{appliance: fresh(t), heard: &transcript{}}
	defer a.report("trust", 3)
	a.install(deb)
	stream := a.throughSetup()
	untilControl := stream.untilControl()
	c := a.signIn()
	a.throughUploads(c)
	a.throughSelfSigned(c)
	a.throughProviders(c)
	a.throughAlerts(c)
	a.throughBackups(c)
	a.throughSiteUsers(c)
	a.throughTunnels(c)
	a.throughDeletions(c)
	a.throughSettings(c, otherSecrets)
	a.throughHistory(c)
	a.throughAll(otherSecrets)
	a.throughLives(otherSecrets)
	a.plantControls()
	untilControl()
	places := a.places(stream)
	places["the exported configuration"] = a.run("gateway-ctl", "export")
	places[supportBundle] = a.throughSupport(c)
	places[browserStore] = a.throughTheBrowser()
	a.search(places)
}

// keyCanary adds a line from the middle of a private key.
func (a *aviary) keyCanary(name, key string) {
	a.t.Helper()
	lines := strings.Split(strings.TrimSpace(key), "\n")
	a.caught(name, lines[1], -1)
}

// pair is a certificate for the name and its key, as PEM.
func pair(t *testing.T, name string) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(1, 0, 0),
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	block := func(kind string, data []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}))
	}
	return block("CERTIFICATE", der), block("PRIVATE KEY", encoded)
}

func uploaded(name, certificate, key string) object {
	return object{"source": "upload", "names": []string{name}, "certificate": certificate, "private_key": key}
}

func (a *aviary) throughUploads(c *caller) {
	a.t.Helper()
	first, firstKey := pair(a.t, "up.example.com")
	a.keyCanary("key of the first upload", firstKey)
	id := c.post("/certificates", uploaded("up.example.com", first, firstKey)).want(201).id()
	second, secondKey := pair(a.t, "up.example.com")
	a.keyCanary("key of the upload that replaced it", secondKey)
	replaced := c.put("/certificates/"+id, uploaded("up.example.com", second, secondKey)).want(200)
	c.post("/changes/"+replaced.header.Get("Gateway-Change")+"/revert", nil).wantCode(409, "secrets_not_kept")
	a.made = append(a.made, "/certificates/"+id)
}

// throughDeletions deletes what was made and lets the time to confirm that run out, and then deletes it for good.
func (a *aviary) throughDeletions(c *caller) {
	a.t.Helper()
	a.undone(c, a.made...)
	for _, path := range a.made {
		gone := c.do(http.MethodDelete, path, nil).want(200)
		c.post("/changes/"+gone.header.Get("Gateway-Change")+"/revert", nil).wantCode(409, "secrets_not_kept")
	}
}

// undone deletes something, several things in a batch, and lets the time to confirm that run out. What reaches no daemon
// is undone only beside something that does.
func (a *aviary) undone(c *caller, paths ...string) {
	a.t.Helper()
	asks := c.copy()
	asks.header.Set("Gateway-Confirm-Within", "5")
	method, path, body := http.MethodDelete, paths[0], any(nil)
	if len(paths) > 1 {
		method, path, body = http.MethodPost, "/batch", object{"operations": deletions(paths)}
	}
	a.awaitUndone(c, asks.do(method, path, body).want(200).header.Get("Gateway-Change"))
}

// deletions are the operations of a batch that deletes.
func deletions(paths []string) (operations []object) {
	for _, path := range paths {
		operations = append(operations, object{"method": http.MethodDelete, "path": path})
	}
	return operations
}

func (a *appliance) awaitUndone(c *caller, change string) {
	a.t.Helper()
	a.eventually(patience, "the change is undone", func() bool {
		var d struct {
			State string `json:"confirm_state"`
		}
		c.get("/changes/" + change).want(200).decode(&d)
		return d.State == "reverted"
	})
}

func (a *aviary) throughSelfSigned(c *caller) {
	a.t.Helper()
	id := c.post("/certificates", object{"source": "self_signed", "names": []string{"self.example.com"}}).want(201).id()
	first := a.keyOnDisk(id)
	a.keyCanary("key of a self-signed certificate", first)
	c.post("/certificates/"+id+"/renew", nil).want(202)
	a.eventually(patience, "the certificate is renewed", func() bool { return a.keyOnDisk(id) != first })
	a.keyCanary("key of a self-signed certificate, renewed", a.keyOnDisk(id))
	c.put("/certificates/"+id, object{"source": "self_signed", "names": []string{"self.example.com"}, "key_type": "rsa-2048"}).want(200)
	c.do(http.MethodDelete, "/certificates/"+id, nil).want(200)
}

func (a *appliance) keyOnDisk(id string) string {
	a.t.Helper()
	text := a.run("cat", "/etc/gateway/haproxy/certs/"+id+".pem")
	return text[strings.Index(text, "-----BEGIN PRIVATE KEY-----"):]
}

func (a *aviary) throughProviders(c *caller) {
	a.t.Helper()
	body := func(name string) object {
		key := base64.StdEncoding.EncodeToString([]byte(a.loose(name)))
		return object{"name": "ns", "kind": "rfc2136", "settings": object{"server": "192.0.2.1", "key_name": "gateway", "key": key}}
	}
	id := c.post("/certificates/dns-providers", body("key of a name server")).want(201).id()
	c.put("/certificates/dns-providers/"+id, body("key of a name server, replaced")).want(200)
	a.made = append(a.made, "/certificates/dns-providers/"+id)
}

// throughAlerts sends secrets through channels that are not active: nobody receives anything.
func (a *aviary) throughAlerts(c *caller) {
	a.t.Helper()
	hook := func(of string) object {
		key := "whsec_" + base64.StdEncoding.EncodeToString([]byte(a.loose("key of a webhook"+of)))
		return object{"name": "hook", "kind": "webhook", "target": "https://192.0.2.1/", "active": false, "settings": object{"secret": key, "token": a.loose("token of a webhook" + of)}}
	}
	letters := func(of string) object {
		return object{"name": "mail", "kind": "email", "target": "ops@example.com", "active": false, "settings": object{
			"smtp_host": "192.0.2.1", "use_tls": true, "from": "gateway@example.com", "username": "gateway", "password": a.loose("password of a mail server" + of),
		}}
	}
	for _, body := range []func(string) object{hook, letters} {
		id := c.post("/alerts", body("")).want(201).id()
		c.put("/alerts/"+id, body(", replaced")).want(200)
		c.get("/alerts").want(200)
		a.made = append(a.made, "/alerts/"+id)
	}
}

// throughBackups sends secrets through targets that are not active: nothing is uploaded.
func (a *aviary) throughBackups(c *caller) {
	a.t.Helper()
	bucket := func(of string) object {
		return object{"name": "bucket", "kind": "s3", "active": false, "settings": object{
			"endpoint": "192.0.2.1", "bucket": "archives", "access_key": "gateway", "secret_key": a.loose("key of an object store" + of),
		}}
	}
	folder := func(of string) object {
		return object{"name": "folder", "kind": "sftp", "active": false, "settings": object{
			"host": "192.0.2.1", "username": "gateway", "password": a.loose("password of an SFTP server" + of), "private_key": a.sshKey("key for an SFTP server" + of),
		}}
	}
	for _, body := range []func(string) object{bucket, folder} {
		id := c.post("/backup-targets", body("")).want(201).id()
		c.put("/backup-targets/"+id, body(", replaced")).want(200)
		c.get("/backup-targets").want(200)
		a.made = append(a.made, "/backup-targets/"+id)
	}
	c.put("/backups/passphrase", object{"passphrase": a.loose("passphrase of the backups"), "password": a.admin.password}).want(200)
	c.put("/backups/passphrase", object{"passphrase": a.loose("passphrase of the backups, replaced"), "password": a.admin.password}).want(200)
	made := "/backups/" + c.post("/backups", nil).want(201).id()
	c.post(made+"/download-ticket", object{"password": a.admin.password}).want(200)
	c.post(made+"/restore", object{"password": a.loose("password for a restore")}).want(401)
}

// sshKey is a private key as a target takes it.
func (a *aviary) sshKey(name string) string {
	a.t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	a.lab.Must(err)
	block, err := ssh.MarshalPrivateKey(key, "")
	a.lab.Must(err)
	text := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(block))
	a.caught(name, text, -1)
	return text
}

func (a *aviary) throughSiteUsers(c *caller) {
	a.t.Helper()
	domain := c.post("/domains", object{"name": "www.example.com"}).want(201).id()
	user := object{"domain_id": domain, "name": "ann", "password": a.loose("password of a site's user")}
	id := c.post("/domain-users", user).want(201).id()
	user["password"] = a.loose("password of a site's user, replaced")
	c.put("/domain-users/"+id, user).want(200)
	a.made = append(a.made, "/domain-users/"+id)
	below := "/domains/" + domain + "/users"
	user = object{"name": "ben", "password": a.loose("password of a domain's user")}
	id = c.post(below, user).want(201).id()
	user["password"] = a.loose("password of a domain's user, replaced")
	c.put(below+"/"+id, user).want(200)
	a.made = append(a.made, below+"/"+id)
}

// throughTunnels sends keys through tunnels that are not active: not every kernel has WireGuard.
func (a *aviary) throughTunnels(c *caller) {
	a.t.Helper()
	key := func(name string) string {
		text := a.tunnelKey()
		a.caught(name, text, -1)
		return text
	}
	tunnel := object{"name": "wg0", "mode": "server", "address_cidr": "10.8.0.1/24", "active": false, "private_key": key("key of a tunnel")}
	id := c.post("/tunnel/interfaces", tunnel).want(201).id()
	tunnel["private_key"] = key("key of a tunnel, replaced")
	c.put("/tunnel/interfaces/"+id, tunnel).want(200)
	peer := object{"interface_id": id, "name": "phone", "preshared_key": key("preshared key of a peer")}
	of := c.post("/tunnel/peers", peer).want(201).id()
	peer["preshared_key"] = key("preshared key of a peer, replaced")
	c.put("/tunnel/peers/"+of, peer).want(200)
	a.made = append(a.made, "/tunnel/peers/"+of, "/tunnel/interfaces/"+id)
}

// tunnelKey is a new key as WireGuard takes it, private or preshared.
func (a *appliance) tunnelKey() string {
	a.t.Helper()
	private, err := ecdh.X25519().GenerateKey(rand.Reader)
	a.lab.Must(err)
	return base64.StdEncoding.EncodeToString(private.Bytes())
}

// throughHistory reads everything that is kept of what was done.
func (a *aviary) throughHistory(c *caller) {
	a.t.Helper()
	var all []struct{ ID string }
	c.get("/changes?limit=1000").want(200).decode(&all)
	if len(all) < 10 {
		a.t.Fatalf("%d changes in the history, want those that were made", len(all))
	}
	for _, one := range all {
		c.get("/changes/" + one.ID).want(200)
	}
	c.get("/system/config-preview").want(200)
}

// browserStore is what a browser keeps, and what its pages say.
const browserStore = "the browser's stores and pages"

func (a *aviary) throughTheBrowser() string {
	a.t.Helper()
	var out struct {
		Looked int
		Text   string
	}
	a.browse("store", nil, &out, "EMAIL="+a.admin.email, "PASSWORD="+a.admin.password, "CONTROL="+a.control("control in the browser's store"))
	if out.Looked < 15 {
		a.t.Errorf("the browser saw %d pages", out.Looked)
	}
	return out.Text
}
