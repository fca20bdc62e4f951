package sigv4

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

func signature(t *testing.T, r *http.Request) string {
	t.Helper()
	_, s, found := strings.Cut(r.Header.Get("Authorization"), "Signature=")
	if !found {
		t.Fatalf("Authorization = %q", r.Header.Get("Authorization"))
	}
	return s
}

func request(t *testing.T, method, address string, headers map[string]string) *http.Request {
	t.Helper()
	r, err := http.NewRequest(method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	return r
}

// The facts of Amazon's documentation of S3, "Examples: Signature Calculations".
func TestTheExamplesOfS3(t *testing.T) {
	key := Key{ID: "AKIAIOSFODNN7EXAMPLE", Secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", Region: "us-east-1", Service: "s3"}
	now := time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC)
	const bucket = "https://examplebucket.s3.amazonaws.com"
	for _, tc := range []struct {
		name, method, address, body, want string
		headers                           map[string]string
	}{
		{
			"reading a part of an object", "GET", bucket + "/test.txt", "",
			"f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
			map[string]string{"Range": "bytes=0-9"},
		},
		{
			"writing an object", "PUT", bucket + "/test$file.text", "Welcome to Amazon S3.",
			"98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
			map[string]string{"Date": "Fri, 24 May 2013 00:00:00 GMT", "X-Amz-Storage-Class": "REDUCED_REDUNDANCY"},
		},
		{
			"a parameter without a value", "GET", bucket + "?lifecycle", "",
			"fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543", nil,
		},
		{
			"two parameters", "GET", bucket + "?prefix=J&max-keys=2", "",
			"34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7", nil,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := request(t, tc.method, tc.address, tc.headers)
			key.Sign(r, Hash([]byte(tc.body)), now)
			if got := signature(t, r); got != tc.want {
				t.Errorf("signature = %s, want %s", got, tc.want)
			}
		})
	}
}

// The facts of Amazon's test suite of the signature, aws-sig-v4-test-suite.
func TestTheSuite(t *testing.T) {
	key := Key{ID: "AKIDEXAMPLE", Secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", Region: "us-east-1", Service: "service"}
	now := time.Date(2015, 8, 30, 12, 36, 0, 0, time.UTC)
	const host = "https://example.amazonaws.com"
	for _, tc := range []struct {
		name, method, address, body, want string
		headers                           map[string]string
	}{
		{"get-vanilla", "GET", host + "/", "", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31", nil},
		{"get-vanilla-query-order-key-case", "GET", host + "/?Param2=value2&Param1=value1", "", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500", nil},
		{"post-vanilla", "POST", host + "/", "", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b", nil},
		{"get-slashes", "GET", host + "//example//", "", "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84", nil},
		{
			"get-header-value-trim", "GET", host + "/", "", "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
			map[string]string{"My-Header1": "value1", "My-Header2": `"a   b   c"`},
		},
		{
			"post-x-www-form-urlencoded", "POST", host + "/", "Param1=value1", "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
			map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := request(t, tc.method, tc.address, tc.headers)
			key.Sign(r, Hash([]byte(tc.body)), now)
			if got := signature(t, r); got != tc.want {
				t.Errorf("signature = %s, want %s", got, tc.want)
			}
		})
	}
}

// A server signs what it received; it must come to the same.
func TestWhatArrivesIsWhatWasSigned(t *testing.T) {
	key := Key{ID: "id", Secret: "secret", Region: "eu-central-1", Service: "s3"}
	now := time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)
	var body string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		want := signature(t, r)
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		body = string(text)
		received := r.Clone(r.Context())
		received.Header = http.Header{}
		_, names, _ := strings.Cut(r.Header.Get("Authorization"), "SignedHeaders=")
		names, _, _ = strings.Cut(names, ",")
		for _, name := range strings.Split(names, ";") {
			if name != "host" {
				received.Header[http.CanonicalHeaderKey(name)] = r.Header.Values(name)
			}
		}
		key.Sign(received, r.Header.Get("X-Amz-Content-Sha256"), now)
		if got := signature(t, received); got != want {
			t.Errorf("%s: the receiver signs %s, the sender %s", r.RequestURI, got, want)
		}
	}))
	defer s.Close()
	for _, path := range []string{"/bucket/plain", "/bucket/a b/ü+$&=:@.tar", "/bucket//twice/../up", "/bucket/100%"} {
		r := request(t, http.MethodPut, s.URL, nil)
		r.URL.Path, r.URL.RawQuery = path, url.Values{"partNumber": {"1"}, "a": {"2", "1"}, "a-b": {"c+d"}}.Encode()
		key.Sign(r, Unsigned, now)
		send(t, r)
	}
	r, err := http.NewRequest(http.MethodPut, s.URL+"/bucket/stream", struct{ *strings.Reader }{strings.NewReader("of bytes")})
	if err != nil {
		t.Fatal(err)
	}
	r.ContentLength = int64(len("of bytes"))
	key.Sign(r, Unsigned, now)
	send(t, r)
	if body != "of bytes" {
		t.Errorf("body = %q, want it whole", body)
	}
}

func send(t *testing.T, r *http.Request) {
	t.Helper()
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
}

func TestAnotherKeyIsAnotherSignature(t *testing.T) {
	now := time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)
	good := Key{ID: "id", Secret: "secret", Region: "eu-central-1", Service: "s3"}
	seen := map[string]bool{}
	for _, k := range []Key{good, {"id", "other", "eu-central-1", "s3"}, {"id", "secret", "us-east-1", "s3"}, {"id", "secret", "eu-central-1", "route53"}} {
		r := request(t, "GET", "https://example.com/", nil)
		k.Sign(r, Hash(nil), now)
		seen[signature(t, r)] = true
	}
	if len(seen) != 4 {
		t.Errorf("%d signatures of 4 keys", len(seen))
	}
}
