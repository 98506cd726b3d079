package telemetry

import (
	"errors"
	"log/slog"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

const redacted = "[redacted]"

// redact replaces the value of an attribute whose key, or a group that it is in, says that it is a
// secret, and such values in maps (HTTP headers). It is a slog.HandlerOptions.ReplaceAttr.
func redact(groups []string, a slog.Attr) slog.Attr {
	if isSecret(a.Key) || slices.ContainsFunc(groups, isSecret) {
		return slog.String(a.Key, redacted)
	}
	if a.Value.Kind() == slog.KindAny {
		if err, ok := a.Value.Any().(error); ok {
			return withoutValues(a, err)
		}
		if m := reflect.ValueOf(a.Value.Any()); m.Kind() == reflect.Map && m.Type().Key().Kind() == reflect.String {
			return slog.Any(a.Key, withoutSecrets(m))
		}
	}

	return a
}

// quoted is what a message quotes, as a whole: what is quoted may have quotes in it.
var quoted = regexp.MustCompile(`(?s)".*"`)

// withoutValues leaves out what PostgreSQL quotes in the message of an error in the data (class 22 of
// SQLSTATE): a value that somebody sent.
func withoutValues(a slog.Attr, err error) slog.Attr {
	sql, ok := errors.AsType[sqlError](err)
	if !ok || !strings.HasPrefix(sql.SQLState(), "22") {
		return a
	}
	said := sql.Error()

	return slog.String(a.Key, strings.ReplaceAll(err.Error(), said, quoted.ReplaceAllString(said, `"…"`)))
}

// withoutSecrets copies a map with text as keys, redacted.
func withoutSecrets(m reflect.Value) map[string]any {
	safe := make(map[string]any, m.Len())
	for key, value := range m.Seq2() {
		inner := value
		if inner.Kind() == reflect.Interface {
			inner = inner.Elem()
		}
		switch {
		case isSecret(key.String()):
			safe[key.String()] = redacted
		case inner.Kind() == reflect.Map && inner.Type().Key().Kind() == reflect.String:
			safe[key.String()] = withoutSecrets(inner)
		default:
			safe[key.String()] = value.Interface()
		}
	}

	return safe
}

// isSecret reports whether a key names a secret: one of its words does ("access_token",
// "X-Api-Key"), and the last does not say that it is something about one ("token_id").
func isSecret(key string) bool {
	if !maySensitive(key) {
		return false
	}
	words := strings.FieldsFunc(spaceWords(key), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) == 0 || slices.Contains([]string{
		"id", "ids", "uuid", "name", "prefix", "count", "kind", "type", "length", "at", "age", "ttl", "file", "path", "url",
	}, words[len(words)-1]) {
		return false
	}
	for i, word := range words {
		before := ""
		if i > 0 {
			before = words[i-1]
		}
		if namesSecret(before, word) {
			return true
		}
	}

	return false
}

// namesSecret reports whether a word, after the one before it, names a secret.
func namesSecret(before, word string) bool {
	if word == "key" || word == "keys" {
		return slices.Contains([]string{"api", "access", "private", "secret", "master", "signing", "encryption"}, before)
	}

	return slices.Contains([]string{
		"token", "tokens", "authorization", "auth", "bearer", "password", "passwords", "passwd", "pwd", "passphrase",
		"secret", "secrets", "apikey", "apikeys", "cookie", "cookies", "credential", "credentials", "jwt", "otp",
	}, word)
}

// maySensitive is a quick look that spares most keys the slow one.
func maySensitive(key string) bool {
	lower := strings.ToLower(key)
	for _, part := range []string{"tok", "auth", "bear", "pass", "pwd", "secr", "key", "cook", "cred", "jwt", "otp"} {
		if strings.Contains(lower, part) {
			return true
		}
	}

	return false
}

// spaceWords puts a space between the words of camelCase and makes everything lower case.
func spaceWords(key string) string {
	var out strings.Builder
	lower := false
	for _, r := range key {
		if lower && unicode.IsUpper(r) {
			out.WriteByte(' ')
		}
		lower = unicode.IsLower(r) || unicode.IsDigit(r)
		out.WriteRune(unicode.ToLower(r))
	}

	return out.String()
}
