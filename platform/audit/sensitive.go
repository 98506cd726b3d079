package audit

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
)

// purpose is what the key of the hashes is derived for.
const purpose = "audit.sensitive"

// sensitive keeps values of some keys out of the trail.
type sensitive struct {
	names []string
	keys  Keys
}

func newSensitive(names []string, keys Keys) sensitive {
	s := sensitive{keys: keys}
	for _, name := range names {
		s.names = append(s.names, strings.ToLower(name))
	}

	return s
}

// canonical returns the changes as JSON with sorted keys, "" if there are none.
func (s sensitive) canonical(changes map[string]Change) (string, error) {
	if len(changes) == 0 {
		return "", nil
	}
	text, err := json.Marshal(changes)
	if err != nil {
		return "", err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var parsed map[string]map[string]any
	if err := decoder.Decode(&parsed); err != nil {
		return "", err
	}
	for key, change := range parsed {
		for side, value := range change {
			if change[side], err = s.cleaned(key, value); err != nil {
				return "", err
			}
		}
	}
	text, err = json.Marshal(parsed)

	return string(text), err
}

// cleaned returns the value of a key without what is sensitive in it.
func (s sensitive) cleaned(key string, value any) (_ any, err error) {
	if value == nil {
		return nil, nil //nolint:nilnil // no value
	}
	if s.covers(key) {
		return s.hashed(value)
	}
	switch v := value.(type) {
	case map[string]any:
		for inner := range v {
			if v[inner], err = s.cleaned(inner, v[inner]); err != nil {
				return nil, err
			}
		}
	case []any:
		for i := range v {
			if v[i], err = s.cleaned("", v[i]); err != nil {
				return nil, err
			}
		}
	}

	return value, nil
}

// covers reports whether a key is sensitive: "password", "Password", "smtp_password".
func (s sensitive) covers(key string) bool {
	key = strings.ToLower(key)

	return slices.ContainsFunc(s.names, func(name string) bool {
		return key == name || strings.HasSuffix(key, "_"+name)
	})
}

func (s sensitive) hashed(value any) (any, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	key, err := s.keys.Derive(purpose)
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, key)
	if _, err := mac.Write(text); err != nil {
		return nil, err
	}

	return map[string]any{"hmac_sha256": hex.EncodeToString(mac.Sum(nil))}, nil
}
