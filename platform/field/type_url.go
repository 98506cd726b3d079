package field

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

const (
	errWebAddress = Error("must be a web address that starts with https:// or http://.")

	// mostWebAddress is what browsers and servers take at least.
	mostWebAddress = 2_048
)

// hostPattern leaves the length of labels to labelsFit: patterns with bounds take long to compile.
var hostPattern = regexp.MustCompile(`^([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.?$`)

// urlOptions is the address of a page. It is never opened here. It may be too long for an index.
type urlOptions struct{ stringCells }

func urlType() Type {
	return Type{
		Name: "url",
		About: "A web address, https or http, of up to 2048 characters. Its scheme and host are kept in lower case. " +
			"It cannot be indexed.",
		Filter:    kind.Text,
		Operators: searchOperators(),
		New:       func() Values { return &urlOptions{} },
	}
}

// Check implements Values.
func (*urlOptions) Check() error { return nil }

// Parse implements Values.
func (*urlOptions) Parse(raw []byte) (Value, error) {
	given, err := parseString(raw)
	if err != nil {
		return Value{}, err
	}
	if len(given) > mostWebAddress {
		return Value{}, Error(fmt.Sprintf("must not be longer than %d characters.", mostWebAddress))
	}
	normal, err := normalWebAddress(given)
	if err != nil {
		return Value{}, err
	}
	if len(normal) > mostWebAddress {
		return Value{}, Error(fmt.Sprintf("must not be longer than %d characters when it is encoded.", mostWebAddress))
	}

	return Value{JSON: rawjson.Quote(normal), Key: normal}, nil
}

// Comparable implements Values.
func (*urlOptions) Comparable(text string) (any, error) {
	if normal, err := normalWebAddress(text); err == nil {
		return normal, nil
	}

	return ComparableText(text)
}

// Part leaves a part as it is, but for a beginning up to the host.
func (*urlOptions) Part(text string) (string, error) {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return ComparableText(text)
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}

	return ComparableText(lowerASCII(scheme) + "://" + lowerASCII(rest[:end]) + rest[end:])
}

// Schema implements Values.
func (*urlOptions) Schema() map[string]any {
	return map[string]any{
		"type": "string", "maxLength": mostWebAddress, "pattern": `^[Hh][Tt][Tt][Pp][Ss]?://[^ ]+$`,
	}
}

// normalWebAddress normalises an address as RFC 3986, 6.2.2.1 and 6.2.3, has it. What names a user, it
// refuses: passwords are not for everybody who sees a record.
func normalWebAddress(text string) (string, error) {
	if strings.Contains(text, " ") {
		return "", errWebAddress
	}
	address, err := url.Parse(text)
	if err != nil || (address.Scheme != "http" && address.Scheme != "https") || address.Host == "" {
		return "", errWebAddress
	}
	if address.User != nil {
		return "", Error("must not contain a user name or password.")
	}
	if address.Host, err = normalHost(address); err != nil {
		return "", err
	}
	if address.Path == "" {
		address.Path = "/"
	}

	return address.String(), nil
}

// normalHost returns the host in lower case, with its port unless it is the usual one.
func normalHost(address *url.URL) (string, error) {
	host, port := strings.ToLower(address.Hostname()), address.Port()
	if ip, err := netip.ParseAddr(host); err == nil && ip.Is6() && ip.Zone() == "" {
		host = "[" + ip.String() + "]"
	} else if len(host) > 253 || !hostPattern.MatchString(host) || !labelsFit(host) {
		return "", wrongHost(host)
	}
	if port == "" || (port == "443" && address.Scheme == "https") || (port == "80" && address.Scheme == "http") {
		return host, nil
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return "", Error("must have a port from 1 to 65535.")
	}

	return host + ":" + strconv.FormatUint(number, 10), nil
}

// wrongHost says how a host is written that has other letters than DNS has.
func wrongHost(host string) error {
	ascii, err := idna.Lookup.ToASCII(host)
	if err != nil || ascii == host || !hostPattern.MatchString(ascii) {
		return errWebAddress
	}

	return Error("must have a valid host name: " + ascii + ".")
}

// labelsFit reports whether no label of a domain is longer than RFC 1035, 2.3.4, allows.
func labelsFit(domain string) bool {
	const most = 63
	for label := range strings.SplitSeq(domain, ".") {
		if len(label) > most {
			return false
		}
	}

	return true
}
