package exchange

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/platform/naming"
)

// Columns of the exports of Google Contacts, Outlook, HubSpot, Salesforce and QuickBooks, in lower case with letters and digits alone, and where they
// go. Their makers name them so: support.google.com/contacts/answer/1069522, Outlook's "Export to a file", HubSpot's default contact
// properties, the field labels and API names of Salesforce's Contact, and QuickBooks' "Customer Contact List".
var (
	knownEmail   = regexp.MustCompile(`^(?:main|primary|work|business|personal|home|other|cc|secondary|alternate|contact|customer|billing)?e?mail(?:s|id|address|addresses)?$`)
	knownPhone   = regexp.MustCompile(`^(?:main|primary|work|business|home|mobile|cell|cellular|other|alt|alternate|company|companymain|office|contact|customer|day|daytime|evening|direct)?(?:phone|phones|telephone|tel|mobile|cell|cellphone|mobilephone)(?:number|numbers|no)?[2-6]?$`)
	knownThing   = regexp.MustCompile(`^(e?mail|phone|telephone|address)([1-6])(.*)$`)
	knownMail    = regexp.MustCompile(`^e?mailaddress([2-6])$`)
	knownAddress = regexp.MustCompile(`^(business|work|home|other|mailing|billing|bill|billto|shipping|ship|shipto|primary|company|permanent)?(.+)$`)
	knownParts   = map[string]string{
		"street": "line1", "streetaddress": "line1", "street1": "line1", "addressline1": "line1", "streetaddress1": "line1", "address1": "line1", "line1": "line1",
		"street2": "line2", "streetaddress2": "line2", "addressline2": "line2", "extendedaddress": "line2", "line2": "line2", "pobox": "line2",
		"city": "city", "town": "city", "state": "state", "region": "state", "stateregion": "state", "stateprovince": "state", "province": "state", "statecode": "state",
		"zip": "postal_code", "zipcode": "postal_code", "postalcode": "postal_code", "zippostalcode": "postal_code", "postcode": "postal_code", "zippostal": "postal_code",
		"country": "country", "countryregion": "country", "countrycode": "country", "countryterritory": "country", "address": "", "formatted": "",
	}
	knownFields = map[string][]string{
		"givenname": {"first_name"}, "firstname": {"first_name"}, "familyname": {"last_name"}, "lastname": {"last_name"}, "surname": {"last_name"},
		"additionalname": {"middle_name"}, "middlename": {"middle_name"}, "mi": {"middle_name"}, "namesuffix": {"suffix"}, "suffix": {"suffix"},
		"fullname": {"name"}, "displayname": {"name"}, "fileas": {"name"}, "customer": {"name", "customer_uuid"}, "customername": {"name", "customer_uuid"}, "customerfullname": {"name"},
		"vendor": {"name"}, "contactname": {"name"}, "contact": {"name"}, "primarycontact": {"name"},
		"company": {"legal_name"}, "companyname": {"legal_name"}, "organization": {"legal_name"}, "organizationname": {"legal_name"}, "organization1name": {"legal_name"},
		"accountname": {"legal_name"}, "associatedcompany": {"legal_name"}, "organizationtitle": {"title"}, "organization1title": {"title"}, "jobtitle": {"title"}, "position": {"title"},
		"leadsource": {"source"}, "originalsource": {"source"}, "creditlimit": {"credit_limit"}, "notes": {"notes"}, "description": {"notes"}, "memo": {"notes"},
		"ordernumber": {"external_id"}, "order": {"external_id"}, "orderid": {"external_id"}, "orderno": {"external_id"}, "loadid": {"external_id"}, "loadnumber": {"external_id"},
		"referencenumber": {"external_id"}, "reference": {"external_id"}, "po": {"external_id"}, "ponumber": {"external_id"},
		"firstavailable": {"available_from"}, "availabledate": {"available_from"}, "shipdate": {"available_from"}, "readydate": {"available_from"},
	}
)

// bareName is the name of a column in lower case, with letters and digits alone.
func bareName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}

		return -1
	}, foldName(name))
}

// freeElement stands for the number of the next element of a list to which no column goes; a name for that of the elements whose columns begin so.
const freeElement = "+"

// knownTarget is where a known column goes: a field, or the field of an element.
type knownTarget struct {
	list, element, path string
}

// knownTargets are where a column goes that others export, the best first.
func knownTargets(name string) (all []knownTarget) {
	bare := bareName(name)
	for _, key := range knownFields[bare] {
		all = append(all, knownTarget{path: key})
	}
	switch m := knownThing.FindStringSubmatch(bare); {
	case m != nil && strings.HasSuffix(m[1], "mail"):
		switch m[3] {
		case "", "value", "address":
			all = append(all, knownTarget{"emails", m[2], "address"})
		case "type", "label":
			all = append(all, knownTarget{"emails", m[2], "label"})
		}
	case m != nil && m[1] == "address" && m[3] != "":
		if m[3] == "type" || m[3] == "label" {
			all = append(all, knownTarget{"addresses", m[2], "label"})
		} else if path, is := knownParts[m[3]]; is {
			all = append(all, addressTarget(m[2], path))
		}
	case m != nil && m[1] != "address":
		switch m[3] {
		case "", "value", "number":
			all = append(all, knownTarget{"phones", m[2], "number"})
		case "type", "label":
			all = append(all, knownTarget{"phones", m[2], "label"})
		}
	}
	if m := knownMail.FindStringSubmatch(bare); m != nil {
		all = append(all, knownTarget{"emails", m[1], "address"})
	}
	if knownEmail.MatchString(bare) {
		all = append(all, knownTarget{"emails", freeElement, "address"})
		if !strings.HasPrefix(bare, "contact") { // that of a person of the company
			all = append(all, knownTarget{path: "email"})
		}
	}
	if knownPhone.MatchString(bare) {
		all = append(all, knownTarget{"phones", freeElement, "number"})
		if !strings.HasPrefix(bare, "contact") {
			all = append(all, knownTarget{path: "phone"})
		}
	}
	if m := knownAddress.FindStringSubmatch(bare); m != nil {
		for _, split := range [][]string{{"", bare}, m[1:]} {
			if path, is := knownParts[split[1]]; is {
				all = append(all, addressTarget("of "+split[0], path))
			}
		}
	}

	return all
}

func addressTarget(element, part string) knownTarget {
	return knownTarget{"addresses", element, strings.TrimSuffix("address."+part, ".")}
}

// proposeWithin maps the columns that are left to fields of elements, by what elements are called, and to what known exports mean by them.
func (row *importRow) proposeWithin(t described) {
	if row.lines() {
		return
	}
	names := t.partNames()
	used, called := map[string]bool{}, map[string]int{}
	for _, to := range row.Mapping {
		used[string(to)] = true
	}
	for i, name := range row.Header {
		if row.Mapping[i] != "" || slices.Contains(everyRow, name) {
			continue
		}
		to := ""
		if t.column(target(name)) != nil {
			to = name // emails.2.address
		}
		if to == "" {
			to = row.knownColumn(name, t, used, called)
		}
		if found := names[naming.ReadHeading(name).Joined()]; to == "" && len(found) > 0 {
			to = found[0]
		}
		if to != "" && !used[to] {
			used[to], row.Mapping[i], row.Rules[i].Doubt = true, target(to), ""
		}
	}
}

// knownColumn is the field to which a known column goes, "" for none.
func (row *importRow) knownColumn(name string, t described, used map[string]bool, called map[string]int) string {
	for _, of := range knownTargets(name) {
		if of.list == "" {
			if c := t.field(of.path); c != "" && !used[c] {
				return c
			}

			continue
		}
		index, numbered := 0, false
		if n, err := strconv.Atoi(of.element); err == nil {
			index, numbered = n-1, true
		} else if of.element != freeElement {
			if index, numbered = called[of.list+of.element], called[of.list+of.element] > 0; numbered {
				index--
			}
		}
		if !numbered {
			for index < mostSmall && usesElement(used, of.list, index) {
				index++
			}
		}
		key := partKey(of.list, index, of.path)
		if t.column(target(key)) != nil && !used[key] {
			if of.element != freeElement {
				called[of.list+of.element] = index + 1
			}

			return key
		}
	}

	return ""
}

// usesElement reports whether a column goes to an element of a list.
func usesElement(used map[string]bool, list string, index int) bool {
	begin := partKey(list, index, "")
	for key := range used {
		rest, is := strings.CutPrefix(key, begin)
		if is && rest != "" && (index > 0 || rest[0] < '0' || rest[0] > '9') {
			return true
		}
	}

	return false
}

// field is the id of the field of a key that can be set, "" for none.
func (t described) field(key string) string {
	for _, c := range t.Fields {
		if c.Key == key && c.Settable {
			return c.ID
		}
	}

	return ""
}

// memberNames are other names of what objects have, by the last word of their paths.
var memberNames = map[string][]string{
	"postal_code": {"zip", "zip code", "zipcode", "postal code", "postcode"}, "state": {"province", "region", "st"}, "line1": {"street", "address", "street address", "address 1", "line 1"},
	"line2": {"street 2", "address 2", "line 2"}, "from": {"date", "from", "day", "date from", "window from", "earliest"}, "to": {"date to", "to", "by", "latest", "window to"},
	"tariff": {"price", "tariff", "rate", "amount", "charge", "customer price", "total tariff"}, "carrier_pay": {"carrier price", "carrier rate", "carrier cost", "pay"},
	"vin": {"vin", "vin number", "vin #", "serial number"}, "year": {"model year"}, "lot_number": {"lot", "stock number", "stock"}, "plate": {"license plate", "plate number"},
	"operable": {"runs", "running", "is operable"}, "expires": {"expiration", "expiration date", "expiry", "expiry date", "expires on"}, "each_occurrence": {"limit", "coverage", "amount"},
	"policy": {"policy number", "policy no"}, "insurer": {"company", "carrier", "insurance company"}, "number": {""}, "address": {""}, "type": {"body type", "body style"},
	"declared_value": {"value"}, "weight_lb": {"weight"}, "name": {"", "full name"},
}

// partNames are the fields of elements by what columns call them: "Origin ZIP", "Contact name", "VIN".
func (t described) partNames() map[string][]string {
	names := map[string][]string{}
	add := func(name, id string) {
		if joined := naming.ReadHeading(name).Joined(); joined != "" && !slices.Contains(names[joined], id) {
			names[joined] = append(names[joined], id)
		}
	}
	for _, f := range t.Fields {
		p, is := t.parts[f.ID]
		if !is {
			continue
		}
		for _, member := range p.names() {
			for _, of := range p.elementNames() {
				if of != "" || member != "" {
					add(strings.TrimSpace(of+" "+member), f.ID)
				}
				if p.index > 0 && of != "" {
					add(of+" "+member+" "+strconv.Itoa(p.index+1), f.ID)
				}
			}
		}
	}

	return names
}

// names are what the member is called within its element.
func (p part) names() []string {
	var words []string
	for _, word := range p.path {
		if word != "0" && word != "venue" && word != "window" && word != "contacts" && word != "phones" {
			words = append(words, naming.Spaced(word))
		}
	}
	last := p.path[len(p.path)-1]
	contact := slices.Contains(p.path, "contacts")
	switch {
	case slices.Contains(p.path, "phones"):
		return []string{"phone", "phone number", "contact phone"}
	case contact && last == "name":
		return []string{"contact", "contact name", "contact person"}
	case contact && last == "email":
		return []string{"email", "contact email"}
	case contact:
		return []string{"contact " + strings.Join(words, " ")}
	case slices.Contains(p.path, "venue") && last == "name":
		return []string{"name", "location", "company", "business", "location name"}
	}
	all := []string{strings.Join(words, " ")}
	if len(words) > 1 {
		all = append(all, words[len(words)-1])
	}

	return append(all, memberNames[last]...)
}

// elementNames are what the element is called: by its list, with its number, or as the area says.
func (p part) elementNames() []string {
	number := ""
	if p.index > 0 {
		number = " " + strconv.Itoa(p.index+1)
	}
	one := singular(naming.Spaced(p.list.Key))
	all := []string{one + number}
	if p.index == 0 {
		all = append(all, one+" 1")
		if p.list.Gather != "" {
			all = append(all, "")
		}
	}
	if p.index < len(p.list.Called) {
		for name := range strings.FieldsSeq(p.list.Called[p.index]) {
			all = append(all, naming.Spaced(name))
		}
	}

	return all
}

// singular is a word of a list for one thing of it.
func singular(plural string) string {
	switch {
	case plural == "people":
		return "person"
	case strings.HasSuffix(plural, "sses"):
		return strings.TrimSuffix(plural, "es")
	case strings.HasSuffix(plural, "ies"):
		return strings.TrimSuffix(plural, "ies") + "y"
	default:
		return strings.TrimSuffix(plural, "s")
	}
}
