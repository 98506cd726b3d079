package document

import (
	"slices"
	"strings"
)

// For names for whom papers of the kind may ever be meant: Customer, Carrier, or both. Without it, they are the company's alone.
func For(audience ...Visibility) Detail { return func(k *kind) { k.audience = audience } }

// Audience returns the visibilities that papers of a kind may have: Internal always, Public if they may be for customers and for carriers.
func (r *Registry) Audience(name string) []Visibility {
	all := append([]Visibility{Internal}, r.kinds[name].audience...)
	if slices.Contains(all, Customer) && slices.Contains(all, Carrier) {
		all = append(all, Public)
	}

	return all
}

// Unmeant says why papers of a kind cannot have a visibility, and what they can have; "" if they can.
func (r *Registry) Unmeant(name string, v Visibility) string {
	all := r.Audience(name)
	if slices.Contains(all, v) {
		return ""
	}
	words := make([]string, len(all))
	for i, one := range all {
		words[i] = "`" + string(one) + "`"
	}

	return "Papers of the kind `" + name + "` cannot be `" + string(v) + "`, only " + strings.Join(words, " or ") + "."
}
