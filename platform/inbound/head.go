package inbound

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// redacted stands for a value that is not kept.
const redacted = "[not kept]"

// head is what is kept of a request beside its body.
type head struct {
	Target string      `json:"target"`
	Header http.Header `json:"header"`
}

// newHead leaves out secrets: in headers and in the query.
func newHead(header http.Header, target string, secrets []string) head {
	kept := make(http.Header, len(header))
	for name, values := range header {
		if isSecretName(name) || slices.ContainsFunc(secrets, func(s string) bool { return strings.EqualFold(s, name) }) {
			values = []string{redacted}
		}
		kept[name] = values
	}

	return head{Target: withoutSecrets(target), Header: kept}
}

// isSecretName reports whether a name is one of those under which secrets are sent.
func isSecretName(name string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"authorization", "cookie", "token", "secret", "password", "api-key", "api_key", "apikey"} {
		if strings.Contains(name, part) {
			return true
		}
	}

	return false
}

// withoutSecrets leaves the query as it came, but for values of keys that are secret.
func withoutSecrets(target string) string {
	path, query, found := strings.Cut(target, "?")
	if !found {
		return target
	}
	parts := strings.Split(query, "&")
	for i, part := range parts {
		name, _, _ := strings.Cut(part, "=")
		if plain, err := url.QueryUnescape(name); err != nil || isSecretName(plain) {
			parts[i] = name + "=" + url.QueryEscape(redacted)
		}
	}

	return path + "?" + strings.Join(parts, "&")
}

// encode makes text of it that both databases can keep: JSON escapes what is not.
func (h head) encode() (string, error) {
	text, err := json.Marshal(h)

	return string(text), err
}

func decodeHead(text string) (h head, err error) {
	err = json.Unmarshal([]byte(text), &h)

	return h, err
}
