package page

import (
	"maps"
	"net/url"
	"slices"
	"strings"
)

// Form is a form that works without JavaScript. Its Action is an address of the service; "" is the page's own.
type Form struct {
	Action string
	Fields []Field
	// Hidden are sent along as they are.
	Hidden map[string]string
	Submit string
	// Second is the style of a button that is not the page's main one.
	Second bool
	// Name is told to the script of the page, which may know what to do with the form; "" for none.
	Name string
}

// Files reports whether a field is a file, so that the form is sent as multipart/form-data.
func (f Form) Files() bool {
	return slices.ContainsFunc(f.Fields, func(f Field) bool { return f.Type == "file" })
}

// Apart returns the form with ids of its own: for a page with several forms that have fields of one name.
func (f Form) Apart(scope string) *Form {
	f.Fields = slices.Clone(f.Fields)
	for i := range f.Fields {
		f.Fields[i].Scope = scope + "-"
	}

	return &f
}

// Field is a field with its label, hint and problems, which are tied to it for screen readers.
type Field struct {
	// Name is what it is sent as, and its id with "f-" before it.
	Name, Label, Hint string
	// Type is an HTML type of input, such as text, tel, email, date, number, file and checkbox; or textarea, select, heading (which has
	// only a Label), or group: its Fields stand under a legend.
	Type string
	// Accept are the media types of a file: "image/*".
	Accept string
	Value  string
	// Was is what is known from elsewhere, where it differs; it is shown below the field.
	Was                     string
	Autocomplete, InputMode string
	Pattern                 string
	MaxLength               int
	Required                bool
	Options                 []Option
	Fields                  []Field
	// Scope keeps the ids of fields apart that have one name in several forms of a page.
	Scope    string
	Problems []string
}

// Option is one of a select.
type Option struct{ Value, Text string }

// ID is the id of the field's element.
func (f Field) ID() string {
	return "f-" + f.Scope + strings.NewReplacer(".", "-", "[", "-", "]", "").Replace(f.Name)
}

// Kind is the type, text if there is none.
func (f Field) Kind() string {
	if f.Type == "" {
		return "text"
	}

	return f.Type
}

// Checked reports whether a checkbox is.
func (f Field) Checked() bool { return f.Value == "true" }

// DescribedBy names the elements that describe the field, "" for none.
func (f Field) DescribedBy() string {
	var ids []string
	if len(f.Problems) > 0 {
		ids = append(ids, f.ID()+"-problem")
	}
	if f.Hint != "" {
		ids = append(ids, f.ID()+"-hint")
	}
	if f.Was != "" {
		ids = append(ids, f.ID()+"-was")
	}

	return strings.Join(ids, " ")
}

// Problem is a problem of a field. The label of a field in a group begins with that of the group.
type Problem struct{ ID, Label, Text string }

// Wrong returns the problems of all fields, for the summary at the top.
func (f Form) Wrong() []Problem { return wrong("", f.Fields) }

func wrong(group string, fields []Field) (all []Problem) {
	for _, f := range fields {
		label := group + f.Label
		for _, text := range f.Problems {
			all = append(all, Problem{f.ID(), label, text})
		}
		all = append(all, wrong(label+", ", f.Fields)...)
	}

	return all
}

// Again returns the form with what was entered into it.
func (f Form) Again(entered url.Values) *Form {
	f.Hidden = maps.Clone(f.Hidden)
	for name := range f.Hidden {
		if entered.Has(name) {
			f.Hidden[name] = entered.Get(name)
		}
	}
	f.Fields = refilled(f.Fields, entered)

	return &f
}

func refilled(fields []Field, entered url.Values) []Field {
	fields = slices.Clone(fields)
	for i := range fields {
		f := &fields[i]
		f.Fields = refilled(f.Fields, entered)
		if f.Name == "" || f.Type == "file" {
			continue
		}
		f.Value = entered.Get(f.Name)
		if f.Type == "select" && f.Value != "" && !slices.ContainsFunc(f.Options, func(o Option) bool { return o.Value == f.Value }) {
			f.Options = append(slices.Clone(f.Options), Option{f.Value, f.Value})
		}
	}

	return fields
}

// Explain has the fields show the problems that are theirs by name, in groups too, and returns the problems of no field. A problem of "crew.driver_phone"
// is that of driver_phone, if no field has the whole name.
func Explain(fields []Field, problems map[string][]string) (rest []string) {
	problems = byField(fields, problems)
	shown := map[string]bool{}
	var explain func([]Field)
	explain = func(fields []Field) {
		for i := range fields {
			f := &fields[i]
			if texts := problems[f.Name]; len(texts) > 0 && f.Name != "" {
				f.Problems, shown[f.Name] = texts, true
			}
			explain(f.Fields)
		}
	}
	explain(fields)
	for name, texts := range problems {
		if !shown[name] {
			rest = append(rest, texts...)
		}
	}
	slices.Sort(rest)

	return rest
}

// byField are problems by the names of fields.
func byField(fields []Field, problems map[string][]string) map[string][]string {
	all := make(map[string][]string, len(problems))
	for name, texts := range problems {
		if last := name[strings.LastIndex(name, ".")+1:]; !named(fields, name) && named(fields, last) {
			name = last
		}
		all[name] = append(all[name], texts...)
	}

	return all
}

func named(fields []Field, name string) bool {
	return slices.ContainsFunc(fields, func(f Field) bool { return f.Name == name || named(f.Fields, name) })
}
