package e2e

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"gateway/tools/bar"
)

// aviary is a node through whose every secret field canaries were sent.
type aviary struct {
	*appliance
	heard    *transcript
	flock    []canary
	controls []canary
	made     []string // objects with a secret that are still to be deleted, those that refer to others first

	onDisk map[string][]string // files, by the value of the canary or control that they hold

	fields, hits, found int // for the report
}

func TestBarFoundation13Canaries(t *testing.T) {
	deb := firstDeb(t)
	a := &aviary{appliance: fresh(t), heard: &transcript{}}
	defer a.report("foundation", 13)
	a.install(deb)
	stream := a.throughSetup()
	untilControl := stream.untilControl()
	a.throughSignIn()
	a.throughPasswords()
	a.throughSecondFactor()
	a.throughTokens()
	a.throughReset()
	a.throughMistakes()
	a.plantControls()
	untilControl() // it heard everything up to here

	a.throughAll("foundation.13")
	a.search(a.places(stream))
}

// report prints the row's line, whatever the test came to.
func (a *aviary) report(area string, row int) {
	a.t.Helper()
	figure := fmt.Sprintf("%d hits of %d canaries by all %d secret fields, %d of %d controls found", a.hits, len(a.flock), a.fields, a.found, len(a.controls))
	bar.Report(a.t, area, row, figure, "0 hits, all fields, all controls found", !a.t.Failed() && a.hits == 0 && a.found == len(a.controls) && a.found > 0)
}

// search looks for everything everywhere.
func (a *aviary) search(places map[string]string) {
	a.t.Helper()
	a.onDisk = a.grep(slices.Concat(a.flock, a.controls))
	a.hits = a.searchForCanaries(places)
	a.found = a.searchForControls(places)
}

// searchForCanaries counts what was seen where it must not be.
func (a *aviary) searchForCanaries(places map[string]string) (hits int) {
	shown := map[string]int{}
	for _, c := range a.flock {
		where := a.sightings(c, places)
		for _, f := range a.onDisk[c.value] {
			if !c.inUse || !a.confidential(f) {
				where = append(where, f)
			}
		}
		for _, w := range where {
			hits++
			a.t.Errorf("%s was seen in %s", c.name, w)
		}
		if c.shown >= 0 {
			shown[a.heard.all()[c.shown].what]++
		}
	}
	for what, n := range shown {
		a.t.Logf("%s is the one answer that showed each of %d secrets", what, n)
	}
	return hits
}

// canary is a secret that must be seen nowhere.
type canary struct {
	name, value string
	shown       int  // the one answer that has to show it; -1 for none
	short       bool // six digits, which other figures contain by chance
	inUse       bool // it is in the files of its daemon and of gateway-apply, for nobody else to read
}

const canaryPrefix = "Canary-"

// loose lets a made-up secret fly and returns it.
func (a *aviary) loose(name string) string {
	v := canaryPrefix + rand.Text()
	a.flock = append(a.flock, canary{name: name, value: v, shown: -1})
	return v
}

// caught adds a secret that the last answer showed, or that the node printed (shown -1).
func (a *aviary) caught(name, value string, shown int) {
	a.t.Helper()
	if value == "" {
		a.t.Fatalf("%s is empty", name)
	}
	a.flock = append(a.flock, canary{name: name, value: value, shown: shown})
}

func (a *aviary) last() int { return a.heard.length() - 1 }

// caller is one whose answers are all kept.
func (a *aviary) caller() *caller {
	c := a.stranger()
	c.heard = a.heard
	return c
}

// cookies adds the cookies that the last answer set.
func (a *aviary) cookies(of string, c *caller) {
	a.t.Helper()
	for name, value := range c.cookies {
		// The signature alone: it is what makes the token one, and it is in no other.
		a.caught(name+" of "+of, value[strings.LastIndexByte(value, '.')+1:], a.last())
	}
}

func (a *aviary) throughSetup() *live {
	c := a.caller()
	code := a.run("gateway-ctl", "setup-code")
	a.caught("setup code", code, -1)
	a.admin = account{"admin@example.com", a.loose("password at setup")}
	request := map[string]any{
		"code": a.loose("wrong setup code"), "fqdn": "gw1.example.com", "email": a.admin.email, "password": a.admin.password,
	}
	c.post("/setup/complete", request).want(401)
	c.post("/setup/complete-node", map[string]any{"code": request["code"], "fqdn": "gw1.example.com"}).want(401)
	request["code"] = code
	request["fqdn"] = "-"
	c.post("/setup/complete", request).want(400)
	request["fqdn"] = "gw1.example.com"
	c.post("/setup/complete", request).want(200)
	c.post("/setup/complete", request).want(409)
	c.login(a.admin).want(200)
	a.cookies("the first sign-in", c)
	who, _ := a.user(c, "watcher@example.com", "password of who watches") // whose session is not going to end
	w := a.caller()
	w.login(who).want(200)
	a.cookies("who watches", w)
	return w.watch()
}

func (a *aviary) throughSignIn() {
	c := a.caller()
	c.login(account{a.admin.email, a.loose("wrong password")}).want(401)
	c.login(account{"nobody@example.com", a.loose("password of an unknown account")}).want(401)
	c.login(a.admin).want(200)
	a.cookies("a session that ends", c)
	c.get("/auth/me").want(200)
	c.get("/auth/sessions").want(200)
	c.post("/auth/logout", nil).want(200)
}

// user makes an account and returns it with its id.
func (a *aviary) user(as *caller, email, secret string) (account, string) {
	a.t.Helper()
	who := account{email, a.loose(secret)}
	made := data[struct{ ID string }](as.post("/users", map[string]any{"email": email, "role": "viewer", "password": who.password}))
	return who, made.ID
}

func (a *aviary) signIn() *caller {
	a.t.Helper()
	c := a.caller()
	c.login(a.admin).want(200)
	a.cookies(fmt.Sprintf("sign-in at answer %d", a.last()), c)
	return c
}

func (a *aviary) throughPasswords() {
	admin := a.signIn()
	who, id := a.user(admin, "first@example.com", "password of a new user")
	admin.post("/users", map[string]any{"email": who.email, "role": "viewer", "password": a.loose("password of a refused user")}).want(409)
	who.password = a.loose("password set by an admin")
	admin.post("/users/"+id+"/password", map[string]any{"password": who.password}).want(200)
	put := map[string]any{"email": who.email, "role": "viewer", "password": a.loose("password in an update")}
	admin.do("PUT", "/users/"+id, put).want(200)
	who.password = put["password"].(string)

	c := a.caller()
	c.login(who).want(200)
	a.cookies("the first user", c)
	change := map[string]any{"current_password": a.loose("wrong current password"), "new_password": a.loose("new password")}
	c.post("/auth/change-password", change).want(401)
	change["current_password"] = who.password
	c.post("/auth/change-password", change).want(200)
	a.cookies("the first user, renewed", c)
}

func (a *aviary) throughSecondFactor() {
	admin := a.signIn()
	who, id := a.user(admin, "second@example.com", "password beside a second factor")
	c := a.caller()
	c.login(who).want(200)
	a.cookies("the second user", c)
	type enrolment struct{ Secret, URL, QR string }
	begun := data[enrolment](c.post("/auth/totp/setup", map[string]any{"password": who.password}))
	a.caught("TOTP secret", begun.Secret, a.last())
	factor := &authenticator{secret: begun.Secret}
	c.post("/auth/totp/enable", map[string]any{"code": a.digits("wrong TOTP code", "000000")}).want(400)
	done := data[struct {
		RecoveryCodes []string `json:"recovery_codes"`
	}](c.post("/auth/totp/enable", map[string]any{"code": a.digits("TOTP code of the enrolment", factor.code(a.t))}))
	for i, code := range done.RecoveryCodes {
		a.caught(fmt.Sprintf("recovery code %d", i+1), code, a.last())
	}
	a.cookies("the second user, renewed", c)

	login := func(proof, value string) *answer {
		c := a.caller()
		first := data[struct{ Token string }](c.login(who))
		a.caught("token of the second step, by "+proof, first.Token[strings.LastIndexByte(first.Token, '.')+1:], a.last())
		r := c.post("/auth/login/totp", map[string]any{"token": first.Token, proof: value})
		if r.status == 200 {
			a.cookies("the second user, by "+proof, c)
		}
		return r
	}
	login("code", a.digits("TOTP code of a sign-in", factor.code(a.t))).want(200)
	login("recovery_code", done.RecoveryCodes[0]).want(200)
	login("recovery_code", a.loose("wrong recovery code")).want(401)
	a.caller().post("/auth/login/totp", map[string]any{"token": a.loose("wrong token of the second step"), "code": "123456"}).want(401)
	c.post("/auth/totp/disable", map[string]any{"password": a.loose("wrong password at disabling")}).want(401)
	admin.post("/users/"+id+"/totp/disable", nil).want(200)
	who, _ = a.user(admin, "third@example.com", "password at disabling")
	c = a.caller()
	c.login(who).want(200)
	a.cookies("the third user", c)
	c.post("/auth/totp/disable", map[string]any{"password": who.password}).want(200)
	a.cookies("the third user, renewed", c)
}

// digits adds a code, unless it is too plain to be looked for.
func (a *aviary) digits(name, code string) string {
	if strings.Trim(code, "0") != "" {
		a.flock = append(a.flock, canary{name: name, value: code, shown: -1, short: true})
	}
	return code
}

func (a *aviary) throughTokens() {
	c := a.signIn()
	token := data[struct{ Token string }](c.post("/auth/tokens", map[string]any{"name": "canary", "role": "viewer"})).Token
	a.caught("API token", token, a.last())
	c.bearer(token).get("/users").want(200)
	c.bearer(token).get("/metrics").want(200)
	c.bearer(token).post("/users", map[string]any{}).want(403)
	c.get("/auth/tokens").want(200)
	c.bearer(a.loose("unknown bearer token")).get("/users").want(401)
	c.bearer("gw_" + a.loose("unknown API token")).get("/users").want(401)
}

func (a *aviary) throughReset() {
	token := a.sh("gateway-ctl reset-password 2>/dev/null")
	a.caught("reset token", token, -1)
	wrong := make([]byte, 16)
	_, _ = rand.Read(wrong) // never fails
	a.caught("wrong reset token", hex.EncodeToString(wrong), -1)
	c := a.caller()
	c.post("/auth/reset-password", map[string]any{"token": hex.EncodeToString(wrong), "new_password": a.loose("new password of a refused reset")}).want(401)
	a.admin.password = a.loose("new password of a reset")
	c.post("/auth/reset-password", map[string]any{"token": token, "new_password": a.admin.password}).want(200)
	a.signIn()
}

// throughMistakes sends secrets in requests that are refused before anybody looks at them.
func (a *aviary) throughMistakes() {
	c := a.caller()
	text := func(format, name string) string { return fmt.Sprintf(format, a.loose(name)) }
	for _, body := range []string{
		text(`{"email":"admin@example.com","password":{"is":%q}}`, "password as an object"),
		text(`{"email":"admin@example.com","password":[%q]}`, "password as a list"),
		text(`{"email":"admin@example.com","passwort":%q}`, "password in an unknown field"),
		text(`{"email":"admin@example.com","password":%q`, "password in broken JSON"),
		text(`{"email":"admin@example.com","password":"`+strings.Repeat("x", 1024)+`%s"}`, "password that is too long"),
		text(`password=%s&email=admin@example.com`, "password as a form"),
	} {
		c.post("/auth/login", body).want(400)
	}
	c.post("/auth/login?password="+a.loose("password in the query"), map[string]any{"email": "x@example.com", "password": "x"})
	c.header.Set("Authorization", "Basic "+a.loose("basic authorization"))
	c.get("/users").want(401)
	c.header.Del("Authorization")
	c.cookies[sessionCookie] = a.loose("wrong session cookie")
	c.get("/users").want(401)

	admin := a.signIn()
	short := rand.Text()[:11]
	a.caught("password that is too short", short, -1)
	for _, password := range []string{
		"nobody" + a.loose("password with the account's name"),
		strings.Repeat("x", 60) + a.loose("password of more than 72 bytes"),
		short,
	} {
		admin.post("/users", map[string]any{"email": "nobody@example.com", "role": "viewer", "password": password}).want(400)
	}
	req, err := http.NewRequestWithContext(a.t.Context(), "POST", c.base+apiPrefix+"/auth/login", strings.NewReader(a.loose("password as plain text")))
	a.lab.Must(err)
	r, err := c.send(req)
	a.lab.Must(err)
	r.want(415)
}
