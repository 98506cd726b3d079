package vehicles

import (
	"context"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/dispatchd/dispatchd/modules/vehicles/internal/vpic"
	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

func catalogueRoutes(r *web.Router, c *catalogue) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/decode", ID: "decode_vins", Access: web.Read, Summary: "Decode VINs",
		Description: "Returns a result for each VIN, in the same order. An invalid VIN has `problems` with positions and hints, and does not " +
			"affect the others. Parts of VINs from 8 characters on, and VINs with * for unknown characters, are decoded as far as possible.",
		Errors: []*errs.Error{errNoData},
	}, c.postDecode)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/vin/{vin}", ID: "get_vin", Access: web.Read, Summary: "Decode a VIN", Errors: []*errs.Error{errInvalidVIN, errNoData},
	}, c.getVIN)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/vin/check", ID: "check_vin", Access: web.Read, Summary: "Check a VIN",
		Description: "Checks the characters, the length and the check digit, and suggests corrections with a correct check digit. In the text of a bar code " +
			"label, such as I1N6AA0ED4AN300777, it finds the VIN.",
		Errors: []*errs.Error{errNoData},
	}, c.checkVIN)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/parse", ID: "parse_listing", Access: web.Read, Summary: "Read vehicles in free text",
		Description: "Finds up to 100 vehicles in text such as `2x 05 f150 crew cab, no keys`: counts, years, makes, models, trims, types, VINs and " +
			"conditions. `rest` has what was not understood.",
		Errors: []*errs.Error{errNoData},
	}, c.parse)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/makes", ID: "list_makes", Access: web.Read, Summary: "List makes",
		Description: "Makes whose name begins with `q` come first, and those with more models before others.", Errors: []*errs.Error{errInvalidType, list.ErrCursorInvalid, errNoData},
	}, c.makes)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/models", ID: "list_models", Access: web.Read, Summary: "List the models of a make",
		Errors: []*errs.Error{errUnknownMake, errInvalidType, errNoData},
	}, c.models)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/types", ID: "list_types", Access: web.Read, Summary: "List vehicle types",
		Description: "The types of vehicles on load boards.", Errors: []*errs.Error{errNoData},
	}, c.types)
}

type decodeInput struct {
	Body struct {
		VINs []string `json:"vins" minItems:"1" maxItems:"50" nullable:"false" example:"[\"1HGCM82633A004352\"]"`
	}
}

type decodeOutput struct {
	Body struct {
		Data []vehiclesapi.Decoded `json:"data" nullable:"false"`
	}
}

func (c *catalogue) postDecode(ctx context.Context, in *decodeInput) (*decodeOutput, error) {
	found, err := c.Decode(ctx, in.Body.VINs...)
	out := &decodeOutput{}
	out.Body.Data = found

	return out, err
}

type vinInput struct {
	VIN  string `path:"vin" maxLength:"100" example:"1HGCM82633A004352"`
	Year int    `query:"year" minimum:"1900" maximum:"2100" doc:"Model year, if you know it."`
}

type vinOutput struct{ Body vehiclesapi.Decoded }

func (c *catalogue) getVIN(ctx context.Context, in *vinInput) (*vinOutput, error) {
	found, err := c.DecodeAsked(ctx, vehiclesapi.Asked{VIN: in.VIN, Year: in.Year})
	if err != nil {
		return nil, err
	}
	if !found[0].Valid {
		return nil, invalidVIN(found[0].Problems)
	}

	return &vinOutput{found[0]}, nil
}

// invalidVIN says where a VIN is wrong, and what was probably meant.
func invalidVIN(problems []vehiclesapi.Problem) error {
	refusal := errInvalidVIN
	for _, p := range problems {
		refusal = refusal.WithField("vin", p.Message)
	}

	return refusal.WithDetail("problems", problems)
}

type checkInput struct {
	Body struct {
		VIN string `json:"vin" maxLength:"100" example:"1M8GDM9A1KP042788"`
	}
}

type checkOutput struct{ Body checkedVIN }

// checkedVIN is a verdict on a VIN.
type checkedVIN struct {
	VIN         string                `json:"vin" doc:"In upper case, without separators."`
	Valid       bool                  `json:"valid" doc:"Whether it has 17 permitted characters."`
	CheckDigit  string                `json:"check_digit" enum:"valid,invalid,unknown"`
	Expected    string                `json:"expected_check_digit" doc:"Empty if it cannot be computed."`
	Mandatory   bool                  `json:"check_digit_mandatory" doc:"Whether the manufacturer is in North America, where VINs must have a check digit."`
	Legacy      bool                  `json:"legacy" doc:"Whether it has 5 to 16 characters, as VINs from before 1981, which may have I, O and Q, or is incomplete."`
	Problems    []vehiclesapi.Problem `json:"problems" nullable:"false"`
	Suggestions []string              `json:"suggestions" nullable:"false" doc:"VINs with a correct check digit that may be meant, or the VIN in the text of a bar code label."`
}

// SchemaName implements web.SchemaNamer.
func (checkedVIN) SchemaName() string { return "CheckedVIN" }

func (c *catalogue) checkVIN(_ context.Context, in *checkInput) (*checkOutput, error) {
	data, err := c.data()
	if err != nil {
		return nil, err
	}
	v := data.Check(in.Body.VIN)

	return &checkOutput{checkedVIN(v)}, nil
}

type parseInput struct {
	Body struct {
		Text string `json:"text" minLength:"1" maxLength:"20000" example:"2012 BMW X6 INOP"`
	}
}

type parseOutput struct {
	Body struct {
		Data []vehiclesapi.Listed `json:"data" nullable:"false"`
	}
}

func (c *catalogue) parse(ctx context.Context, in *parseInput) (*parseOutput, error) {
	found, err := c.Parse(ctx, in.Body.Text)
	out := &parseOutput{}
	out.Body.Data = found

	return out, err
}

type makesInput struct {
	Q       string `query:"q" maxLength:"100" doc:"Part of the name, ignoring case, spaces and punctuation."`
	Type    string `query:"type" maxLength:"20" doc:"One of GET /types."`
	Year    int    `query:"year" minimum:"1900" maximum:"2100" doc:"Makes with models of this year."`
	Cursor  string `query:"cursor" maxLength:"400" doc:"Where the page starts: next_cursor of another page with the same q, type and year."`
	PerPage int    `query:"per_page" minimum:"1" maximum:"200" default:"50"`
}

type makesOutput struct {
	Body struct {
		Data []vpic.Make `json:"data" nullable:"false"`
		Meta struct {
			PerPage    int     `json:"per_page"`
			NextCursor *string `json:"next_cursor" doc:"The cursor of the next page; null if this is the last."`
			Total      int     `json:"total" doc:"Makes on all pages."`
		} `json:"meta"`
	}
}

func (c *catalogue) makes(_ context.Context, in *makesInput) (*makesOutput, error) {
	of, err := knownType(in.Type)
	if err != nil {
		return nil, err
	}
	data, err := c.data()
	if err != nil {
		return nil, err
	}
	after, err := base64.RawURLEncoding.DecodeString(in.Cursor)
	if err != nil {
		return nil, list.ErrCursorInvalid.WithField("cursor", list.ErrCursorInvalid.Message)
	}
	out, more, ok := &makesOutput{}, false, false
	meta := &out.Body.Meta
	out.Body.Data, more, meta.Total, ok = data.Makes(vpic.Filter{Q: in.Q, Type: of, Year: in.Year, Now: c.clock.Now().Year()}, string(after), in.PerPage)
	if !ok {
		return nil, list.ErrCursorInvalid.WithField("cursor", list.ErrCursorInvalid.Message)
	}
	meta.PerPage = in.PerPage
	if more {
		next := base64.RawURLEncoding.EncodeToString([]byte(out.Body.Data[len(out.Body.Data)-1].Name))
		meta.NextCursor = &next
	}

	return out, nil
}

type modelsInput struct {
	Make string `query:"make" required:"true" minLength:"1" maxLength:"100" example:"Honda"`
	Q    string `query:"q" maxLength:"100" doc:"Part of the name, ignoring case, spaces and punctuation."`
	Type string `query:"type" maxLength:"20" doc:"One of GET /types."`
	Year int    `query:"year" minimum:"1900" maximum:"2100"`
}

type modelsOutput struct {
	Body struct {
		Data []vpic.Model `json:"data" nullable:"false"`
	}
}

func (c *catalogue) models(_ context.Context, in *modelsInput) (*modelsOutput, error) {
	of, err := knownType(in.Type)
	if err != nil {
		return nil, err
	}
	data, err := c.data()
	if err != nil {
		return nil, err
	}
	found, ok := data.Models(in.Make, vpic.Filter{Q: in.Q, Type: of, Year: in.Year, Now: c.clock.Now().Year()})
	if !ok {
		return nil, errUnknownMake
	}
	out := &modelsOutput{}
	out.Body.Data = found

	return out, nil
}

// knownType reads a type, "" for none.
func knownType(text string) (vehiclesapi.Type, error) {
	t := vehiclesapi.Type(strings.ToLower(text))
	if t != "" && !t.Known() {
		return "", errInvalidType.WithField("type", "The type must be one of "+typeNames()+".")
	}

	return t, nil
}

type typesOutput struct {
	Body struct {
		Data []vehiclesapi.TypeName `json:"data" nullable:"false"`
	}
}

func (c *catalogue) types(context.Context, *struct{}) (*typesOutput, error) {
	out := &typesOutput{}
	out.Body.Data = vehiclesapi.Types()

	return out, nil
}
