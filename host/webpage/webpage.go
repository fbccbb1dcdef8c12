// Package webpage reads web addresses as browsers do, so that the host that a user agrees to is the one that is opened.
//
// Forms of agents and links of transcripts are read here, whoever draws them.
package webpage

import (
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/idna"

	"github.com/nvim-acp/nvim-acp/host/plain"
)

// Page is a web page that can be opened.
type Page struct {
	URL     string   `msgpack:"url"`     // what is opened: with the host in ASCII, and nothing that browsers read in different ways
	Address string   `msgpack:"address"` // the same, cut, to be shown
	Host    string   `msgpack:"host"`    // as browsers name it: ASCII, in lower case, with the port if it is not the usual one
	Notes   []string `msgpack:"notes"`   // what to think of before it is opened
}

// maxAddress is how much of an address is shown, in bytes: more than the longest host has.
const maxAddress = 300

var errNone = errors.New("no web address that all browsers read alike")

// Read returns the page of an address. One with a user, a backslash or signs that are not seen is an error, since browsers do not read
// it alike.
func Read(address string) (Page, error) {
	odd := func(r rune) bool { return r == '\\' || unicode.IsSpace(r) || unicode.IsControl(r) }
	u, err := url.Parse(address)
	if err != nil || strings.ContainsFunc(address, odd) || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Opaque != "" {
		return Page{}, errNone
	}

	name := u.Hostname()
	host, err := hostOf(name)
	if err != nil {
		return Page{}, errNone
	}
	notes := notesOf(name, host)
	if port := u.Port(); port != "" && port != map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		host += ":" + port
	}

	u.Host, u.RawQuery = host, inASCII(u.RawQuery)
	opened := u.String()
	return Page{URL: opened, Address: plain.Short(plain.OneLine(opened), maxAddress), Host: host, Notes: notes}, nil
}

// names reads names of hosts as the URL standard says.
var names = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false), idna.CheckHyphens(false),
	idna.CheckJoiners(true), idna.BidiRule(), idna.VerifyDNSLength(true))

// hostOf returns the host that a browser would ask for.
func hostOf(name string) (string, error) {
	if strings.Contains(name, ":") {
		addr, err := netip.ParseAddr(name)
		if err != nil || addr.Zone() != "" {
			return "", errNone
		}
		return "[" + addr.String() + "]", nil
	}

	host, err := names.ToASCII(name)
	other := func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789.-_", r) }
	if err != nil || strings.Trim(host, ".") == "" || strings.ContainsFunc(host, other) {
		return "", errNone
	}
	if !numeric(host) {
		return host, nil
	}
	return ipv4(host)
}

// notesOf says of a name, and the host that it stands for, what a user might not see.
func notesOf(name, host string) []string {
	notes := []string{}
	unicodes, _ := idna.ToUnicode(host) // what cannot be decoded stays
	if unicodes != host || strings.ContainsFunc(name, func(r rune) bool { return r >= 0x80 }) {
		if unicodes == host {
			unicodes = name
		}
		notes = append(notes, "the name of this host is written in another alphabet: "+plain.Brief(unicodes))
	}
	for _, label := range strings.Split(unicodes, ".") {
		if mixed := alphabets(label); len(mixed) > 1 {
			notes = append(notes, "a word of it mixes the letters of "+strings.Join(mixed, " and "))
			break
		}
	}
	if numeric(host) && strings.TrimSuffix(name, ".") != host {
		notes = append(notes, "it is the address of a machine, written in another way")
	}
	return notes
}

// alphabets returns the scripts of a word, where they are not used together.
func alphabets(word string) (list []string) {
	for _, r := range word {
		for script, table := range unicode.Scripts {
			if script == "Common" || script == "Inherited" || !unicode.Is(table, r) {
				continue
			}
			if slices.Contains([]string{"Hiragana", "Katakana", "Hangul", "Bopomofo"}, script) {
				script = "Han"
			}
			if !slices.Contains(list, script) {
				list = append(list, script)
			}
		}
	}
	slices.Sort(list)
	if slices.Equal(list, []string{"Han", "Latin"}) {
		return nil
	}
	return list
}

// inASCII returns a query as browsers send it.
func inASCII(query string) string {
	var b strings.Builder
	for i := range len(query) {
		if c := query[i]; c < 0x80 {
			b.WriteByte(c)
		} else {
			b.WriteString(url.QueryEscape(query[i : i+1]))
		}
	}
	return b.String()
}
