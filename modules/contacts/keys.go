package contacts

import (
	"cmp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
)

// key is a row of contacts_keys: a value by which contacts are compared, in its normal form.
type key struct {
	database.Tenant
	Kind      keyKind
	Value     string
	ContactID uuid.UUID
	Weight    int64
}

// TableName implements GORM's naming.
func (key) TableName() string { return "contacts_keys" }

type keyKind string

const (
	byEmail   keyKind = "email"
	byPhone   keyKind = "phone"
	byUSDOT   keyKind = "usdot"
	byMailbox keyKind = "mailbox" // of a provider that ignores dots, and the part after a plus sign
	byCompany keyKind = "company" // its name and city
	byPerson  keyKind = "person"  // the last name and the ZIP code
)

// kinds are all kinds, the strongest first.
var kinds = []keyKind{byEmail, byPhone, byUSDOT, byMailbox, byCompany, byPerson}

// weights are the scores of contacts with the same key, of at most 100. From 90 on, contacts count as the same.
var weights = map[keyKind]int64{byEmail: 95, byPhone: 94, byUSDOT: 93, byMailbox: 70, byCompany: 65, byPerson: 60}

// shownAs is the kind as responses show it.
func (k keyKind) shownAs() string {
	switch k {
	case byMailbox:
		return string(byEmail)
	case byCompany, byPerson:
		return "name_address"
	default:
		return string(k)
	}
}

// keysOf are the keys of a contact, each once.
func keysOf(c contact) []key {
	all := keys{of: c.ID}
	for _, e := range c.Emails.V {
		all.email(e.Address)
	}
	for _, p := range c.Phones.V {
		all.add(byPhone, string(p.E164))
	}
	all.add(byUSDOT, string(c.USDOT))
	for _, a := range c.Addresses.V {
		if c.Kind == company {
			all.company(c.LegalName, a.Address.City)
			all.company(c.DBA, a.Address.City)
			all.company(c.Name, a.Address.City)
		} else {
			all.person(cmp.Or(c.LastName, lastOf(c.Name)), a.Address.PostalCode)
		}
	}

	return all.found
}

// keys collects keys.
type keys struct {
	of    uuid.UUID
	found []key
}

func (k *keys) add(kind keyKind, value string) {
	one := key{Kind: kind, Value: value, ContactID: k.of, Weight: weights[kind]}
	if value != "" && !slices.Contains(k.found, one) {
		k.found = append(k.found, one)
	}
}

func (k *keys) email(address string) {
	var folded field.Email
	if folded.UnmarshalText([]byte(strings.TrimSpace(address))) != nil {
		return
	}
	k.add(byEmail, string(folded))
	mailbox, domain, _ := strings.Cut(string(folded), "@")
	if domain == "gmail.com" || domain == "googlemail.com" {
		mailbox, _, _ = strings.Cut(mailbox, "+")
		k.add(byMailbox, strings.ReplaceAll(mailbox, ".", "")+"@gmail.com")
	}
}

func (k *keys) phone(number string) {
	var normal field.Phone
	if normal.UnmarshalText([]byte(strings.TrimSpace(number))) == nil {
		k.add(byPhone, string(normal))
	}
}

func (k *keys) person(last, zip string) {
	zip, _, _ = strings.Cut(zip, "-")
	if last, zip = folded(last), folded(zip); last != "" && zip != "" {
		k.add(byPerson, last+"|"+zip)
	}
}

// hollow are words that do not distinguish companies.
var hollow = []string{"inc", "llc", "ltd", "co", "corp", "corporation", "company", "incorporated", "limited", "lp", "llp", "the", "trucking", "transport", "logistics"}

func (k *keys) company(name, city string) {
	words := slices.DeleteFunc(strings.Fields(folded(name)), func(word string) bool { return slices.Contains(hollow, word) })
	if city = folded(city); len(words) > 0 && city != "" {
		k.add(byCompany, strings.Join(words, " ")+"|"+city)
	}
}

// folded are the words of a text without case, accents and punctuation.
func folded(text string) string {
	return strings.Join(strings.FieldsFunc(database.FoldText(text), func(r rune) bool {
		return strings.ContainsRune(" .,;:'’\"&/()|-", r) || r < ' '
	}), " ")
}

func lastOf(name string) string {
	words := strings.Fields(name)
	if len(words) < 2 {
		return ""
	}

	return words[len(words)-1]
}

func (k *keys) usdot(number string) {
	var normal field.USDOT
	if normal.UnmarshalText([]byte(strings.TrimSpace(number))) == nil {
		k.add(byUSDOT, string(normal))
	}
}

// reads reports whether a text is a key of a kind of input, such as one that was entered twice.
func (k *keys) reads(name, text string) bool {
	var alone keys
	switch name {
	case "phones":
		alone.phone(text)
	case "emails":
		alone.email(text)
	default:
		alone.usdot(text)
	}

	return len(alone.found) > 0
}
