package webpage

import (
	"strings"
	"testing"
)

// The host of a page is the one that browsers ask for, however it is written, and it is said where it was not written so (behaviour 1186).
func TestRead(t *testing.T) {
	const alphabet, mixes, machine = "another alphabet", "mixes the letters of", "the address of a machine"
	tests := []struct {
		name, address, url, host string
		notes                    []string
	}{
		{"plain", "https://example.org/login?a=b#c", "https://example.org/login?a=b#c", "example.org", nil},
		{"capitals", "HTTPS://WWW.Example.ORG:443/A", "https://www.example.org/A", "www.example.org", nil},
		{"port", "http://example.org:8080/", "http://example.org:8080/", "example.org:8080", nil},
		{"underscore", "https://a_b.example.org/", "https://a_b.example.org/", "a_b.example.org", nil},
		{"local", "http://127.0.0.1:1455/cb", "http://127.0.0.1:1455/cb", "127.0.0.1:1455", nil},
		{"IPv6", "http://[::0001]/", "http://[::1]/", "[::1]", nil},
		{"one letter of another alphabet", "https://www.pаypal.com/x", "https://www.xn--pypal-4ve.com/x", "www.xn--pypal-4ve.com", []string{alphabet, mixes}},
		{"the same, encoded", "https://WWW.XN--PYPAL-4VE.com/", "https://www.xn--pypal-4ve.com/", "www.xn--pypal-4ve.com", []string{alphabet, mixes}},
		{"another alphabet", "https://пример.рф/", "https://xn--e1afmkfd.xn--p1ai/", "xn--e1afmkfd.xn--p1ai", []string{alphabet}},
		{"Japanese", "https://日本のa.jp/", "https://xn--a-t4tw32qn6b.jp/", "", []string{alphabet}},
		{"digits in circles", "http://①②⑦.⓪.⓪.①/", "http://127.0.0.1/", "127.0.0.1", []string{alphabet, machine}},
		{"wide dot", "http://evil。example/", "http://evil.example/", "evil.example", []string{alphabet}},
		{"percent", "http://%e2%91%a0.example/", "http://1.example/", "1.example", []string{alphabet}},
		{"number", "http://2130706433/", "http://127.0.0.1/", "127.0.0.1", []string{machine}},
		{"short", "http://127.1/", "http://127.0.0.1/", "127.0.0.1", []string{machine}},
		{"octal and hexadecimal", "http://0177.0x0.1/", "http://127.0.0.1/", "127.0.0.1", []string{machine}},
		{"query", "https://a.b/?q=ä", "https://a.b/?q=%C3%A4", "a.b", nil},
	}
	for _, tt := range tests {
		got, err := Read(tt.address)
		if err != nil || tt.host != "" && (got.URL != tt.url || got.Host != tt.host) || len(got.Notes) != len(tt.notes) {
			t.Errorf("%s: got %+v, %v", tt.name, got, err)
			continue
		}
		for i, note := range tt.notes {
			if !strings.Contains(got.Notes[i], note) {
				t.Errorf("%s: got the notes %q", tt.name, got.Notes)
			}
		}
	}

	for _, address := range []string{
		"", "example.org", "ftp://a.b/", "https:a.b", "https:///a.b", "https://user@a.b/", `https://evil.example\@a.b/`, `https://a.b\c/`, "https://a b/",
		"https://a.b/\u2028", "https://a.b:x/", "https://256.0.0.1/", "https://1.2.3.4.5/", "https://a%00b/", "https://a%2eb/", "https://./", "https://a..b/",
		"https://" + strings.Repeat("a.", 200) + "b/", "https://" + strings.Repeat("a", 64) + ".b/", "https://[fe80::1%25eth0]/",
	} {
		if got, err := Read(address); err == nil {
			t.Errorf("%q is opened as %+v", address, got)
		}
	}
}
