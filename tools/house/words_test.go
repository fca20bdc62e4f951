package house

import (
	"go/ast"
	"go/token"
	"path"
	"strconv"
	"strings"
	"testing"
)

// english are wordings that an operator of another product would not say, with what to
// write instead. They are looked for in what people read, in any case.
var english = map[string]string{
	// vague verbs and borrowed syntax
	" is none":                    "is invalid, is missing",
	" are none":                   "are invalid, are missing",
	" that is none":               "invalid",
	"cut you off":                 "you would lose access",
	"cuts you off":                "you lose access",
	"did not take it":             "rejected it",
	"does not take it":            "rejects it",
	"goes on with":                "keeps",
	"runs on with":                "keeps",
	"look at it again":            "reload and try again",
	"look at them again":          "reload and try again",
	"looked at":                   "checked",
	"parted by":                   "separated by",
	"there twice":                 "duplicate",
	"ran out on":                  "expired on",
	"run out soon":                "expire soon",
	"somebody else changed":       "someone else changed",
	"something went wrong on our": "internal error",
	"taken back":                  "reverted",
	"takes itself back":           "is reverted automatically",
	"takes its own changes back":  "can roll back its own changes",
	"takes no orders":             "whose only input is",
	"unless i confirm":            "revert automatically unless confirmed",
	"waits to be confirmed":       "is waiting for confirmation",
	"wait to be confirmed":        "wait for confirmation",
	"unless said otherwise":       "default",
	"no rule is about":            "no matching rule",
	"is about another":            "does not match the",
	"no rule takes":               "unmatched",
	"no rule took":                "unmatched",
	"rule that fits":              "matching rule",
	"speak of":                    "be available in",
	"leads here":                  "points here",
	"name leads":                  "DNS points",
	"must lead":                   "must point",
	"in the right form":           "invalid format",
	"please fill this in":         "required",
	"nothing fits":                "no results",
	"nobody listens":              "connection refused",
	"listens to nobody":           "accepts no connections",
	"runs as it likes":            "will drift",
	"never be in doubt":           "so the caller is never ambiguous",
	"report a hole":               "report a vulnerability",
	"the method does not":         "method not supported here",
	"still the system's own":      "not managed yet",
	"only through change.run":     "use the API or gateway-ctl",
	"what a document says":        "apply a configuration file",
	"nor any":                     "must be an existing zone or any",
	"dead at all":                 "connection cut within",
	"nothing of `nft":             "no nft -c dry run",
	// standard terms that were hidden
	"what is wrong now":                    "problems",
	"everything that is watched":           "no problems detected",
	"a change waits for you":               "confirm this change",
	"reason, for the history\"":            "reason (optional)",
	"what will change":                     "preview changes",
	"as the daemon would get":              "configuration files after this change",
	"file became another":                  "no configuration files changed",
	"what was stored":                      "configuration changes",
	"leave it stored":                      "keep without applying",
	"a way in":                             "an access path",
	"ip address of a machine":              "a single host address",
	"like the system":                      "System",
	"page that says so":                    "maintenance page",
	"the same name with www":               "www redirect",
	"browsers use https only, for":         "HSTS max-age",
	"largest request":                      "maximum request body",
	"who may use it":                       "allowed sources",
	"who gets the next request":            "load balancing",
	"each in turn":                         "round robin",
	"name to ask for":                      "TLS server name (SNI)",
	"stays with its server":                "sticky sessions",
	"serves your sites":                    "publishes domains",
	"that is new here":                     "new server",
	"for names inside":                     "self-signed (internal use)",
	"all else leads":                       "default backend",
	"on its way":                           "pending",
	"what ordering depends on":             "pre-flight checks",
	"orders that are left":                 "rate limit",
	"what it is about":                     "service",
	"no packet is in this zone":            "no interfaces",
	"covered by {{":                        "shadowed by",
	"overruled by":                         "shadowed by",
	"cut connections":                      "terminate connections",
	"reachable from everywhere":            "reachable from any network",
	"only what it needs to know":           "QNAME minimisation",
	"keep answers at":                      "minimum, maximum cache TTL",
	"for being too many":                   "rate-limited",
	"has a say":                            "combined",
	"would do\"":                           "candidate",
	"contradicts the others":               "falseticker",
	"several times at the start":           "fast initial sync (iburst)",
	"as grave or graver":                   "minimum log level",
	"pool of servers":                      "backend",
	"what a client says about that itself": "client-supplied values are discarded",
}

// german are the same in German; they are looked for in the German messages.
var german = map[string]string{
	"\"wege\"":             "Routing-Regeln",
	"die stelle":           "Zertifizierungsstelle",
	"der stelle":           "Zertifizierungsstelle",
	"einer stelle":         "Zertifizierungsstelle",
	"acme-stelle":          "ACME-Zertifizierungsstelle",
	"maskieren":            "Masquerade",
	"annehmen –":           "Zulassen",
	"hört niemand":         "Verbindung abgelehnt",
	"hört auf niemanden":   "nimmt keine Anfragen an",
	"seite ausliefern":     "Domain",
	"diese seite nutzen":   "Domain",
	"keine seiten":         "keine Domains",
	"wie sie will":         "geht falsch",
	"wie das system":       "System",
	"was gerade nicht":     "Probleme",
	"worum es geht":        "Dienst",
	"hat es nicht angenom": "hat die Änderung abgelehnt",
	"einspiel":             "anwenden, installieren",
	"überstimmt":           "verdeckt",
	"im eigenen netz":      "interne Nutzung",
	"pool wählen":          "Backend wählen",
}

// hits are the banned wordings in a text.
func hits(text string, banned map[string]string) []string {
	var found []string
	low := strings.ToLower(text)
	for words, better := range banned {
		if strings.Contains(low, words) {
			found = append(found, strconv.Quote(words)+" (write: "+better+")")
		}
	}
	return found
}

// literals are the strings of a Go file that people may read: those with a space.
func literals(s source, visit func(at ast.Node, text string)) {
	ast.Inspect(s.ast, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		if text, err := strconv.Unquote(lit.Value); err == nil && strings.Contains(text, " ") {
			visit(lit, text)
		}
		return true
	})
}

// unread are pages that say what others wrote: the specification's statements, and
// figures in the words that they were recorded in.
var unread = []string{"docs/conformance.md", "docs/measured.md"}

func TestWordsAreThoseOfTheField(t *testing.T) {
	found, seen := banned(tree(t))
	for _, hit := range found {
		t.Error(hit)
	}
	for what, least := range map[string]int{"Go": 1000, "page": 8, "English": 15, "German": 15} {
		if seen[what] < least {
			t.Errorf("%d of %s were read, want %d at least", seen[what], what, least)
		}
	}
}

// banned are the banned wordings in all that people read, and how much of each kind that was.
func banned(all []source) (found []string, seen map[string]int) {
	seen = map[string]int{}
	for _, s := range all {
		switch {
		case s.is(".go") && s.ast != nil && !s.test() && (s.under("internal") || s.under("cmd")):
			literals(s, func(at ast.Node, text string) {
				seen["Go"]++
				for _, hit := range hits(text, english) {
					found = append(found, s.at(at)+" says "+hit)
				}
			})
		case s.name == "README.md" || path.Dir(s.name) == "docs" && s.is(".md"):
			if s.name == unread[0] || s.name == unread[1] {
				continue
			}
			seen["page"]++
			found = append(found, byLine(s, english)...)
		case s.name == "web/openapi.json", strings.HasSuffix(s.name, "/messages/en.json"):
			seen["English"]++
			found = append(found, byLine(s, english)...)
		case strings.HasSuffix(s.name, "/messages/de.json"):
			seen["German"]++
			found = append(found, byLine(s, german)...)
		}
	}
	return found, seen
}

func byLine(s source, words map[string]string) (found []string) {
	for i, line := range strings.Split(s.text, "\n") {
		for _, hit := range hits(line, words) {
			found = append(found, s.name+":"+strconv.Itoa(i+1)+" says "+hit)
		}
	}
	return found
}

func TestBannedWordsAreFound(t *testing.T) {
	planted := "package a\n\nconst x = `is none`\n\nvar m = \"its port or weight is none; this would cut you off\"\n"
	var found []string
	literals(parse(t, "planted.go", planted), func(_ ast.Node, text string) {
		found = append(found, hits(text, english)...)
	})
	if len(found) != 2 {
		t.Errorf("%q were found in the planted file, want two", found)
	}
	if got := hits("\t\"rules\": \"Wege\",", german); len(got) != 1 {
		t.Errorf("%q were found in the planted message, want one", got)
	}
	for _, fine := range []string{"no matching rule (default drop)", "HSTS max-age", "the second one"} {
		if got := hits(fine, english); len(got) != 0 {
			t.Errorf("%q has %q", fine, got)
		}
	}
}
