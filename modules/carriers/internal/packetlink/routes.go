// Package packetlink has the page on which a carrier fills in its packet, by a link and without an account.
package packetlink

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/onetimecode"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/web"
)

// refusals are those of every operation by the link of a packet.
func refusals() []*errs.Error { return append([]*errs.Error{packet.ErrGone}, link.Refusals...) }

// saving are the refusals of every operation that changes a packet, and more.
func saving(more ...*errs.Error) []*errs.Error {
	return slices.Concat([]*errs.Error{packet.ErrClosed, packet.ErrChanged, packet.ErrNotAsked}, refusals(), more)
}

// ReadRoutes registers the operation that shows a packet. It is a page too, as those of link holders all are.
func ReadRoutes(r *web.Router, s *Sheets) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/packet/{link}", ID: "read_linked_packet", Access: web.Public,
		Summary:     "Read a packet by its link",
		Description: "Reading changes nothing. With Accept: text/html, the response is the page on which the carrier fills in the packet.",
		Errors:      refusals(), Page: newPages().face.Page,
	}, s.read)
}

// EntryRoutes registers the operations that save entries.
func EntryRoutes(r *web.Router, s *Saver) {
	show := newPages()
	step(r, show, packet.StepProfile, "Save the profile of a packet", saving(), func(ctx context.Context, in *stepInput[packet.Profile]) (View, error) {
		return saveStep(ctx, s, in.Link, packet.StepProfile, in.Body, func(p *packet.Proposal) **packet.Profile { return &p.Profile })
	})
	step(r, show, packet.StepEquipment, "Save the equipment and lanes of a packet", saving(),
		func(ctx context.Context, in *stepInput[packet.Equipment]) (View, error) {
			return saveStep(ctx, s, in.Link, packet.StepEquipment, in.Body, func(p *packet.Proposal) **packet.Equipment { return &p.Equipment })
		})
	step(r, show, packet.StepInsurance, "Save the insurance of a packet", saving(),
		func(ctx context.Context, in *stepInput[packet.Insurance]) (View, error) {
			return saveStep(ctx, s, in.Link, packet.StepInsurance, in.Body, func(p *packet.Proposal) **packet.Insurance { return &p.Insurance })
		})
}

// PaymentRoutes registers the operation that saves how a carrier is paid.
func PaymentRoutes(r *web.Router, s *Payment) {
	step(r, newPages(), packet.StepRemitTo, "Save the payment of a packet", saving(), func(ctx context.Context, in *stepInput[packet.RemitTo]) (View, error) {
		return s.save(ctx, in.Link, in.Body)
	})
}

// AgreementRoutes registers the operation that accepts the agreement.
func AgreementRoutes(r *web.Router, s *Agreements) {
	step(r, newPages(), packet.StepAgreement, "Accept the agreement of a packet", saving(packet.ErrNotAccepted),
		func(ctx context.Context, in *stepInput[packet.Acceptance]) (View, error) {
			return s.accept(ctx, in.Link, origin{web.ClientIP(ctx), in.UserAgent}, in.Body)
		})
}

// AgentRoutes registers the operation that asks the insurance agent.
func AgentRoutes(r *web.Router, s *Agents) {
	failures := saving(packet.ErrTooManyLinks, packet.ErrInvalid, packet.ErrNoAddress, notify.ErrNoChannel, notify.ErrRefused, share.ErrRecipient,
		share.ErrTooMany)
	step(r, newPages(), "agent", "Send the insurance agent an upload link", failures, func(ctx context.Context, in *stepInput[agentBody]) (View, error) {
		return s.ask(ctx, in.Link, in.Body.Channel, in.Body.To)
	})
}

// IdentityRoutes registers the operations that prove the identity.
func IdentityRoutes(r *web.Router, s *Identity) {
	show := newPages()
	step(r, show, packet.StepIdentity, "Send an identity code to the regulator's record", saving(notify.ErrNoChannel, notify.ErrRefused, onetimecode.ErrTooMany),
		func(ctx context.Context, in *stepInput[channelBody]) (View, error) {
			return s.sendCode(ctx, in.Link, in.Body.Channel)
		})
	step(r, show, "code", "Enter an identity code", saving(onetimecode.RedeemErrors...), func(ctx context.Context, in *stepInput[codeBody]) (View, error) {
		return s.redeemCode(ctx, in.Link, in.Body.Code)
	})
}

// SubmitRoutes registers the operation that submits a packet.
func SubmitRoutes(r *web.Router, s *Submitter) {
	step(r, newPages(), "submit", "Submit a packet", saving(packet.ErrIncomplete), func(ctx context.Context, in *stepInput[submitBody]) (View, error) {
		return s.submit(ctx, in.Link)
	})
}

// UploadRoutes registers the operation that creates an upload link.
func UploadRoutes(r *web.Router, s *Documents) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/packet/{link}/uploads", ID: "create_packet_upload", Access: web.Public, Secret: true,
		Summary: "Create an upload link for a document of a packet", Description: "Browsers are redirected to the page of the upload link.",
		Errors: saving(packet.ErrTooManyLinks), TakesForm: true, Page: newPages().upload,
	}, func(ctx context.Context, in *uploadInput) (*uploadOutput, error) {
		made, err := s.upload(ctx, in.Link, in.Body.Document)
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
	form := map[string]func(url.Values) any{packet.StepEquipment: equipmentForm}[name]
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

// backTo returns the address of an upload page with a link back to a step.
func backTo(uploadURL, packetPath, step string) string {
	return attachmentsapi.BackTo(uploadURL, packetPath+"?step="+step)
}

// dayText is a time as people read it, in the company's zone.
func (v *View) dayText(at time.Time) string { return page.Moment(at, page.Zone(v.Zone)) }
