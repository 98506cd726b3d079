package bulk

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/naming"
)

// Body is the body of a bulk request.
type Body struct {
	// Atomic says whether all items succeed or none; nil is true.
	Atomic *bool  `json:"atomic,omitempty"`
	Items  []Item `json:"items"`
}

func (b Body) atomic() bool { return b.Atomic == nil || *b.Atomic }

// ActsDoc is what ItemsDoc says of acts.
const ActsDoc = "`act` with uuid, `verb` and body does what the row's own operation of that name does (`POST …/{uuid}/<verb>`), with its " +
	"scope, checks and failures; an unknown verb is refused with those that there are, and what the operation answers is in `answer`, if that is not the row. "

// ItemsDoc says in the documentation of an operation how items are written; rows are what the area calls its rows, one by one, and acts is
// ActsDoc if they have verbs.
func ItemsDoc(row, acts string) string {
	return "Each item says what to `do`: `create` with a payload; `update` with uuid and payload (a merge patch); " +
		"`upsert`, which changes the " + row + " that has the payload's value in the unique field `by`, or creates one; `delete` with uuid. " +
		acts + "A `version` makes an item fail if the " + row + " has another one. With `atomic` (the default) all items succeed or nothing " +
		"happens, and the errors name the items (`items.3.payload.vin`). Without it, each item has a result of its own, and the " +
		"answer is 200 in any case. An answer has the " + row + "s as long as they are not larger together than a request may be; of " +
		"the others `brief` has the uuid and the version."
}

// Schema describes a Body of so many items at most.
func Schema(row string, most int) *huma.Schema {
	text := func(format, about string) *huma.Schema {
		return &huma.Schema{Type: huma.TypeString, Format: format, Description: about}
	}
	item := &huma.Schema{
		Type: huma.TypeObject,
		Properties: map[string]*huma.Schema{
			"do":      {Type: huma.TypeString, Enum: []any{string(Create), string(Update), string(Upsert), string(Delete), string(Act)}},
			"uuid":    text("uuid", "The "+row+" to update or delete."),
			"version": {Type: huma.TypeInteger, Description: "The expected version of the item."},
			"by":      text("", "The key of the unique field to match, for an upsert."),
			"payload": {Type: huma.TypeObject, AdditionalProperties: true},
			"verb":    text("", "The operation, for an act: the last part of its path, such as pick_up."),
			"body":    {Type: huma.TypeObject, AdditionalProperties: true, Description: "The body of the operation, for an act."},
		},
		Required: []string{"do"}, AdditionalProperties: false,
	}

	return &huma.Schema{
		Type: huma.TypeObject,
		Properties: map[string]*huma.Schema{
			"atomic": {Type: huma.TypeBoolean, Default: true, Description: "Whether all items must succeed, or none is applied."},
			"items":  {Type: huma.TypeArray, Items: item, MinItems: new(1), MaxItems: &most},
		},
		Required: []string{"items"}, AdditionalProperties: false,
	}
}

// Check returns nil, or the face's Invalid with everything that is wrong with the shape of a request. What is wrong with an
// item that may fail by itself is kept with it.
func (f Face) Check(b Body) *errs.Error {
	var found problems
	if len(b.Items) == 0 || len(b.Items) > f.Items {
		found.add("items", fmt.Sprintf("The items must be between 1 and %d.", f.Items))
	}
	for i, item := range b.Items {
		wrong := item.check(f.Acts).as(f.Invalid)
		switch {
		case wrong == nil:
		case b.atomic():
			found.under(itemPath(i), wrong.Fields)
		default:
			b.Items[i].Wrong = wrong
		}
	}

	return found.as(f.Invalid)
}

func (i Item) check(acts Acts) *problems {
	var found problems
	switch i.Do {
	case Create, Update, Upsert:
		switch {
		case len(i.Payload) == 0 || string(i.Payload) == "null":
			found.add("payload", "The payload is required.")
		case i.Payload[0] != '{':
			found.add("payload", "The payload must be an object.")
		}
	case Delete:
		if i.Payload != nil {
			found.add("payload", "A delete takes no payload. Remove it.")
		}
	case Act:
		i.checkAct(acts, &found)
	case Put:
		fallthrough
	default:
		known := "create, update, upsert or delete"
		if acts != nil {
			known = "create, update, upsert, delete or act"
		}
		found.add("do", "`do` must be "+known+".")
	}
	if i.Do != Act && (i.Verb != "" || i.Body != nil) {
		key := "verb"
		if i.Verb == "" {
			key = "body"
		}
		found.add(key, "`"+key+"` is only for an act. Remove it, or set `do` to act.")
	}
	aims := i.Do == Update || i.Do == Delete || i.Do == Act
	if aims && i.UUID == uuid.Nil {
		found.add("uuid", "The uuid is required.")
	}
	if !aims && i.UUID != uuid.Nil {
		found.add("uuid", "The uuid must not be given to "+naming.A(string(i.Do))+".")
	}
	if i.Do == Upsert && i.By == "" {
		found.add("by", "`by` is required for an upsert: give the key of a unique field.")
	}
	if i.Do != Upsert && i.By != "" {
		found.add("by", "`by` is only for an upsert. Remove it.")
	}
	if i.Version < 0 || i.Do == Create && i.Version != 0 {
		found.add("version", "The version is only for an existing record. Remove it.")
	}

	return &found
}

// checkAct says what is wrong with an act.
func (i Item) checkAct(acts Acts, found *problems) {
	if acts == nil {
		found.add("do", "`do` must be create, update, upsert or delete: these rows have no verbs.")

		return
	}
	if i.Payload != nil {
		found.add("payload", "An act takes its values in `body`, not in `payload`.")
	}
	if i.Body != nil && string(i.Body) != "null" && i.Body[0] != '{' {
		found.add("body", "`body` must be an object.")
	}
	switch known := acts.Verbs(); {
	case slices.Contains(known, i.Verb):
	case len(known) == 0:
		found.add("verb", "These rows have no verbs.")
	case i.Verb == "":
		found.add("verb", "`verb` is required. Known are: "+strings.Join(known, ", ")+".")
	default:
		message := "The verb " + naming.Shorten(i.Verb) + " is not known."
		if near := naming.Nearest(i.Verb, known); near != "" {
			message += " Did you mean " + near + "?"
		}
		found.add("verb", message+" Known are: "+strings.Join(known, ", ")+".")
	}
}

// itemPath is where an item is in the body.
func itemPath(i int) string { return "items." + strconv.Itoa(i) }

// mostProblems bounds what a refusal says: a stranger decides how much there is.
const mostProblems = 100

// problems collects what is wrong with a request, the first message about each path.
type problems struct {
	messages map[string][]string
	more     int
}

func (p *problems) add(path, message string) {
	switch _, known := p.messages[path]; {
	case known:
	case len(p.messages) >= mostProblems:
		p.more++
	default:
		if p.messages == nil {
			p.messages = map[string][]string{}
		}
		p.messages[path] = []string{message}
	}
}

// under adds what is wrong with what stands under a path.
func (p *problems) under(path string, fields map[string][]string) {
	for inside, messages := range fields {
		p.add(path+"."+inside, messages[0])
	}
}

// as returns a refusal with the messages, nil if there are none.
func (p *problems) as(refusal *errs.Error) *errs.Error {
	if p.messages == nil {
		return nil
	}
	if p.more > 0 {
		p.messages["items"] = append(p.messages["items"], fmt.Sprintf("And %d more problems.", p.more))
	}
	with := *refusal
	with.Fields = p.messages

	return &with
}
