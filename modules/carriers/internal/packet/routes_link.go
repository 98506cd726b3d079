package packet

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/onetimecode"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/web"
)

// LinkRoutes registers the operations of link holders. Each is a page too.
func LinkRoutes(r *web.Router, d *Desk) {
	show := newPages()
	refusals := append([]*errs.Error{errGone}, link.Refusals...)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/packet/{link}", ID: "read_linked_packet", Access: web.Public,
		Summary:     "Read a packet by its link",
		Description: "Reading changes nothing. With Accept: text/html, the response is the page on which the carrier fills in the packet.",
		Errors:      refusals, Page: show.face.Page,
	}, func(ctx context.Context, in *lookInput) (*viewOutput, error) {
		v, err := d.look(ctx, in.Link)
		v.Step, v.Problem = in.Step, in.Problem

		return &viewOutput{v}, err
	})
	saving := append([]*errs.Error{errClosed, errChanged, errAsked}, refusals...)
	step(r, show, stepProfile, "Save the profile of a packet", saving, func(ctx context.Context, in *stepInput[Profile]) (View, error) {
		return saveStep(ctx, d, in.Link, stepProfile, in.Body, func(p *Proposal) **Profile { return &p.Profile })
	})
	step(r, show, stepEquipment, "Save the equipment and lanes of a packet", saving, func(ctx context.Context, in *stepInput[Equipment]) (View, error) {
		return saveStep(ctx, d, in.Link, stepEquipment, in.Body, func(p *Proposal) **Equipment { return &p.Equipment })
	})
	step(r, show, stepInsurance, "Save the insurance of a packet", saving, func(ctx context.Context, in *stepInput[Insurance]) (View, error) {
		return saveStep(ctx, d, in.Link, stepInsurance, in.Body, func(p *Proposal) **Insurance { return &p.Insurance })
	})
	step(r, show, stepRemitTo, "Save the payment of a packet", saving, func(ctx context.Context, in *stepInput[RemitTo]) (View, error) {
		return d.saveRemitTo(ctx, in.Link, in.Body)
	})
	step(r, show, stepAgreement, "Accept the agreement of a packet", append(slices.Clone(saving), errNotAccepted), func(ctx context.Context, in *stepInput[Acceptance]) (View, error) {
		return d.accept(ctx, in.Link, web.ClientIP(ctx), in.UserAgent, in.Body)
	})
	step(r, show, "agent", "Send the insurance agent an upload link", append(slices.Clone(saving), errTooMuch, errDocuments, errNoAddress, notify.ErrNoChannel, notify.ErrRefused, share.ErrRecipient, share.ErrTooMany),
		func(ctx context.Context, in *stepInput[agentBody]) (View, error) {
			return d.agent(ctx, in.Link, in.Body.Channel, in.Body.To)
		})
	step(r, show, stepIdentity, "Send an identity code to the regulator's record", append(slices.Clone(saving), notify.ErrNoChannel, notify.ErrRefused, onetimecode.ErrTooMany),
		func(ctx context.Context, in *stepInput[channelBody]) (View, error) {
			return d.sendCode(ctx, in.Link, in.Body.Channel)
		})
	step(r, show, "code", "Enter an identity code", append(slices.Clone(saving), onetimecode.RedeemErrors...),
		func(ctx context.Context, in *stepInput[codeBody]) (View, error) {
			return d.typeCode(ctx, in.Link, in.Body.Code)
		})
	step(r, show, "submit", "Submit a packet", append(slices.Clone(saving), errIncomplete),
		func(ctx context.Context, in *stepInput[submitBody]) (View, error) { return d.submit(ctx, in.Link) })
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/packet/{link}/uploads", ID: "create_packet_upload", Access: web.Public, Secret: true,
		Summary: "Create an upload link for a document of a packet", Description: "Browsers are redirected to the page of the upload link.",
		Errors: append(slices.Clone(saving), errTooMuch), TakesForm: true, Page: show.upload,
	}, func(ctx context.Context, in *uploadInput) (*uploadOutput, error) {
		made, err := d.upload(ctx, in.Link, in.Body.Document)
		out := &uploadOutput{}
		out.Body.URL, out.Body.UUID = made.URL, made.UUID

		return out, err
	})
}

// step registers the operation that saves a step, from JSON or from the form of its page.
func step[B any](
	r *web.Router, show *pages, name, summary string, failures []*errs.Error,
	do func(ctx context.Context, in *stepInput[B]) (View, error),
) {
	form := map[string]func(url.Values) any{stepEquipment: equipmentForm}[name]
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/packet/{link}/" + name, ID: "save_packet_" + name, Access: web.Public, Summary: summary,
		Description: "Entries are stored even if they are invalid; `steps` lists their problems. Browsers are redirected to the next step.",
		Errors:      failures, Form: form, TakesForm: form == nil, Page: show.saved(name),
	}, func(ctx context.Context, in *stepInput[B]) (*viewOutput, error) {
		v, err := do(ctx, in)

		return &viewOutput{v}, err
	})
}

type lookInput struct {
	Link    string `path:"link" maxLength:"200" doc:"Text of the link."`
	Step    string `query:"step" enum:"profile,equipment,insurance,w9,remit_to,agreement,identity,review" doc:"Step that the page shows; by default the first incomplete one."`
	Problem string `query:"problem" maxLength:"100" pattern:"^[a-z0-9_.]*$" patternDescription:"the code of an error" doc:"Code of the error that the page explains."`
}

type viewOutput struct{ Body View }

type stepInput[B any] struct {
	Link      string `path:"link" maxLength:"200" doc:"Text of the link."`
	UserAgent string `header:"User-Agent"`
	Body      B
}

type agentBody struct {
	Channel string `json:"channel" enum:"sms,email"`
	To      string `json:"to" minLength:"1" maxLength:"320" doc:"Phone or e-mail of the agent."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (agentBody) SchemaName() string { return "PacketAgent" }

type channelBody struct {
	Channel string `json:"channel" enum:"sms,email"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (channelBody) SchemaName() string { return "PacketCodeRequest" }

type codeBody struct {
	Code string `json:"code" maxLength:"20"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (codeBody) SchemaName() string { return "PacketCode" }

type submitBody struct{}

// SchemaName is the name of the body in the OpenAPI document.
func (submitBody) SchemaName() string { return "PacketSubmission" }

type uploadInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Document string `json:"document" enum:"certificate,w9,notice_of_assignment"`
	}
}

type uploadOutput struct {
	Body struct {
		UUID string `json:"uuid"`
		URL  string `json:"url" doc:"Address for the upload, by a form or by tus. Without a host where web.base_url is not set."`
	}
}

// withRevision adds the revision of the step in the form.
func withRevision(form url.Values, body map[string]any) map[string]any {
	if n, ok := number(form.Get("revision")); ok {
		body["revision"] = n
	}

	return body
}

func number(text string) (n int64, ok bool) {
	for _, r := range text {
		if r < '0' || r > '9' || n > 1<<40 {
			return 0, false
		}
		n = n*10 + int64(r-'0') //nolint:mnd // decimal
	}

	return n, text != ""
}

func equipmentForm(form url.Values) any {
	units, lanes := []any{}, []any{}
	for i := range formRows {
		prefix := "unit" + string(rune('0'+i)) + "_"
		if kind := form.Get(prefix + "kind"); kind != "" {
			unit := map[string]any{"kind": kind, "slots": 1}
			for _, name := range []string{"slots", "count"} {
				if n, ok := number(form.Get(prefix + name)); ok {
					unit[name] = n
				}
			}
			for _, name := range []string{"enclosed", "winch", "liftgate"} {
				if form.Get(prefix+name) == "true" {
					unit[name] = true
				}
			}
			units = append(units, unit)
		}
		prefix = "lane" + string(rune('0'+i)) + "_"
		from, to := places(form.Get(prefix+"from")), places(form.Get(prefix+"to"))
		if len(from) > 0 && len(to) > 0 {
			lanes = append(lanes, map[string]any{"from": from, "to": to})
		}
	}

	return withRevision(form, map[string]any{"units": units, "lanes": lanes})
}

// places splits "tx, 75 ok" into places.
func places(text string) []string {
	return strings.FieldsFunc(strings.ToUpper(text), func(r rune) bool { return r == ',' || r == ' ' || r == ';' || r == '/' })
}

// personText returns a person as one line.
func personText(name, phone, email string) string {
	return strings.Join(slices.DeleteFunc([]string{name, phone, email}, func(s string) bool { return s == "" }), ", ")
}

func equalFold(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

// backTo returns the address of an upload page with a link back to a step.
func backTo(uploadURL, packetPath, step string) string {
	return attachmentsapi.BackTo(uploadURL, packetPath+"?step="+step)
}

// dayText is a time as people read it, in the company's zone.
func (v *View) dayText(at time.Time) string { return page.Moment(at, page.Zone(v.Zone)) }
