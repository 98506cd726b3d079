package contacts

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/summary"
	"github.com/dispatchd/dispatchd/platform/web"
)

// relations are what belongs to contacts: their properties, their sub-contacts, and what areas know of them.
type relations struct {
	tables   *tables
	engine   *resource.Engine
	sections *summary.Registry
}

func newRelations(t *tables, e *resource.Engine, sections *summary.Registry) *relations {
	return &relations{tables: t, engine: e, sections: sections}
}

func consentRoutes(r *web.Router, s *consenting) {
	wrong := append([]*errs.Error{s.tables.Contacts.NotFound()}, s.tables.Contacts.WriteErrors()...)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/contacts/{uuid}/block", ID: "block_contact", Access: web.Write, Summary: "Block a contact",
		Description: "Withdraws the consents to marketing. Service messages about current business are still sent.", Errors: wrong,
	}, s.block)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/contacts/{uuid}/unblock", ID: "unblock_contact", Access: web.Write, Summary: "Unblock a contact",
		Description: "Consents that the block withdrew stay withdrawn.", Errors: wrong,
	}, s.unblock)
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/contacts/{uuid}/consents", ID: "put_consents", Access: web.Write, Summary: "Record consents of a contact",
		Description: "Each consent replaces the one with the same channel and purpose. Versions of the contact retain earlier ones.", Errors: wrong,
	}, s.consents)
}

func eraseRoutes(r *web.Router, s *eraser) {
	wrong := append([]*errs.Error{s.tables.Contacts.NotFound()}, s.tables.Contacts.WriteErrors()...)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/contacts/{uuid}/erase", ID: "erase_contact", Access: web.Scope("erase"), Summary: "Erase the personal data of a contact",
		Description: "Permanently removes names, addresses, numbers, consents, values of own fields and all earlier versions of the contact and of contacts " +
			"that were merged into it. Its UUID, roles and terms remain, because documents that must be retained refer to them. " +
			"Areas can refuse it while business is open.", Errors: wrong,
	}, s.erase)
}

func relationRoutes(r *web.Router, s *relations) {
	missing, wrong := s.tables.Contacts.NotFound(), append([]*errs.Error{s.tables.Contacts.NotFound()}, s.tables.Contacts.WriteErrors()...)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/contacts/{uuid}/properties", ID: "list_properties", Access: web.Read,
		Summary:     "List the company's own fields of contacts with the values of one",
		Description: "The fields are those of the collection contacts.contact.", Errors: []*errs.Error{missing},
	}, s.properties)
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/contacts/{uuid}/properties", ID: "put_properties", Access: web.Write, Summary: "Replace the values of the company's own fields",
		Description: "Fields that are absent from the body lose their values.", Errors: wrong,
	}, s.putProperties)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/contacts/{uuid}/sub_contacts", ID: "list_sub_contacts", Access: web.Read, Summary: "List the people of a company contact",
		Description: "Contacts whose parent_uuid is the contact. Filters, sort and search are those of contacts.", Errors: append([]*errs.Error{missing}, list.Errors...),
	}, s.subContacts)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/contacts/{uuid}/sub_contacts", ID: "create_sub_contact", Access: web.Write, Summary: "Add a person to a company contact",
		Description: "Creates a contact with this parent_uuid.", Errors: wrong,
	}, s.addSubContact)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/contacts/{uuid}/summary", ID: "read_summary", Access: web.Read, Summary: "Summarize a contact",
		Description: "Each area contributes a section. Sections of areas that the company does not use or the token cannot read are absent; " +
			"a section that takes more than two seconds is null.", Errors: []*errs.Error{missing},
	}, s.summary)
}

type oneInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type blockInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Reason string `json:"reason" minLength:"1" maxLength:"1000"`
	}
}

type consentsInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Consents []statement `json:"consents" minItems:"1" maxItems:"6"`
	}
}

type statement struct {
	Channel string `json:"channel" enum:"sms,email,call"`
	Purpose string `json:"purpose" enum:"marketing,service"`
	State   string `json:"state" enum:"granted,refused"`
	Source  string `json:"source" minLength:"1" maxLength:"200" doc:"Where the consent was given or refused." example:"web form"`
	Text    string `json:"text,omitempty" maxLength:"10000" doc:"The text of the consent; only its SHA-256 is stored."`
}

type propertiesInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body map[string]any
}

type propertiesOutput struct{ Body propertiesBody }

type propertiesBody struct {
	Data []property `json:"data" nullable:"false"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (propertiesBody) SchemaName() string { return "ContactProperties" }

type property struct {
	Key       string `json:"key"`
	Label     string `json:"label"`
	Type      string `json:"type" example:"text"`
	Sensitive bool   `json:"sensitive"`
	Value     any    `json:"value" doc:"Null for none."`
}

type subContactsInput struct {
	list.Input

	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type subContactInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body subContact
}

type subContact struct {
	Name      string  `json:"name,omitempty" maxLength:"200" doc:"By default composed of the parts of the name."`
	FirstName string  `json:"first_name,omitempty" maxLength:"100"`
	LastName  string  `json:"last_name,omitempty" maxLength:"100"`
	Title     string  `json:"title,omitempty" maxLength:"100" example:"Accounts payable"`
	Emails    []email `json:"emails,omitempty" maxItems:"20"`
	Phones    []phone `json:"phones,omitempty" maxItems:"20"`
	Receives  []topic `json:"receives,omitempty" maxItems:"10"`
}

type summaryOutput struct{ Body summaryBody }

type summaryBody struct {
	Contact  contact        `json:"contact"`
	Sections map[string]any `json:"sections" doc:"Sections by name."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (summaryBody) SchemaName() string { return "ContactSummary" }

func (s *relations) properties(ctx context.Context, in *oneInput) (*propertiesOutput, error) {
	row, err := s.tables.Contacts.Find(ctx, in.UUID)
	if err == nil {
		err = s.tables.Contacts.Show(ctx, nil, &row)
	}
	if err != nil {
		return nil, err
	}

	return s.listed(ctx, row)
}

// listed are the fields that the company has added, with the values of a contact that is shown.
func (s *relations) listed(ctx context.Context, row contact) (*propertiesOutput, error) {
	fields, err := s.engine.AddedFields(ctx, contactsapi.Item)
	out := &propertiesOutput{Body: propertiesBody{Data: make([]property, len(fields))}}
	for i, f := range fields {
		out.Body.Data[i] = property{Key: f.Key, Label: f.Label, Type: f.Type, Sensitive: f.Sensitive}
		if value := rawjson.Member(row.Custom, f.Key); len(value) > 0 {
			out.Body.Data[i].Value = json.RawMessage(value)
		}
	}

	return out, err
}

func (s *relations) putProperties(ctx context.Context, in *propertiesInput) (*propertiesOutput, error) {
	values := make(map[string]json.RawMessage, len(in.Body))
	for key, value := range in.Body {
		raw, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		values[key] = raw
	}
	fields, err := s.engine.AddedFields(ctx, contactsapi.Item)
	if err != nil {
		return nil, err
	}
	row, err := s.tables.Contacts.Change(ctx, in.UUID, in.IfMatch, resource.Update, func(_ context.Context, c *contact) error {
		return setOwn(c, fields, values)
	})
	answer, err := s.tables.Contacts.Answer(ctx, row, err)
	if err != nil {
		return nil, err
	}

	return s.listed(ctx, answer.Body)
}

func (s *relations) subContacts(ctx context.Context, in *subContactsInput) (*list.Output[contact], error) {
	if _, err := s.tables.Contacts.Find(ctx, in.UUID); err != nil {
		return nil, err
	}

	return s.tables.Contacts.Listed(ctx, under(&in.Input, in.UUID), false)
}

func (s *relations) addSubContact(ctx context.Context, in *subContactInput) (*web.Resource[contact], error) {
	if _, err := s.tables.Contacts.Find(ctx, in.UUID); err != nil {
		return nil, err
	}
	b := in.Body
	row, err := s.tables.Contacts.Create(ctx, contact{
		Kind: person, Status: "active", Parent: &in.UUID, Name: b.Name, FirstName: b.FirstName, LastName: b.LastName, Title: b.Title,
		Emails: resource.JSON[[]email]{V: b.Emails}, Phones: resource.JSON[[]phone]{V: b.Phones}, Receives: resource.JSON[[]topic]{V: b.Receives},
	})

	return s.tables.Contacts.Answer(ctx, row, err)
}

func (s *relations) summary(ctx context.Context, in *oneInput) (*summaryOutput, error) {
	row, err := s.tables.Contacts.Find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	about := summary.Subject{Item: item.Ref{Type: contactsapi.Item, UUID: in.UUID}}
	for _, p := range row.Phones.V {
		about.Phones = append(about.Phones, string(p.E164))
	}
	for _, e := range row.Emails.V {
		about.Emails = append(about.Emails, e.Address)
	}
	sections, err := s.sections.Read(ctx, about)
	if err != nil {
		return nil, err
	}

	answer, err := s.tables.Contacts.Answer(ctx, row, nil)
	if err != nil {
		return nil, err
	}

	return &summaryOutput{summaryBody{answer.Body, sections}}, nil
}
