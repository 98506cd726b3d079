package vendorsandbox

import (
	"net/url"
	"regexp"
	"strings"
)

// maxReturn is the longest address that somebody is sent back to.
const maxReturn = 500

// hostRule is the host of such an address, with a port or without.
var hostRule = regexp.MustCompile(`^[A-Za-z0-9.\-_]+(:[0-9]{1,5})?$|^\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?$`)

// CanReturnTo reports whether a browser can be sent back to an address: http or https, and nothing that ends an attribute of HTML or a
// header.
func CanReturnTo(address string) bool {
	u, err := url.Parse(address)

	return err == nil && len(address) <= maxReturn && (u.Scheme == "https" || u.Scheme == "http") && u.User == nil && u.Opaque == "" &&
		hostRule.MatchString(u.Host) && !strings.ContainsAny(address, "\x00\r\n\t \"'<>\\")
}

// ReturnTo returns an address with a parameter that says what became of the visit; "" for none.
func ReturnTo(address, name, value string) string {
	if address == "" {
		return ""
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	query := u.Query()
	query.Set(name, value)
	u.RawQuery = query.Encode()

	return u.String()
}
