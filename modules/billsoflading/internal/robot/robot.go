// Package robot drives for a carrier of the sandbox: it inspects, signs for both sides, and delivers, by the links of drivers.
package robot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"image/png"
	"mime/multipart"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/driverlink"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/inspecting"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/signing"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/outsider"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/settings"
)

// Starter are the carriers for which the robot drives.
type Starter struct {
	bols     *resource.Resource[store.Bol]
	carriers carriersapi.Carriers
	settings *settings.Settings[store.Preferences]
	queue    *jobs.Queue
	rows     *store.Repository
}

// NewStarter returns a Starter.
func NewStarter(
	bols *resource.Resource[store.Bol], c carriersapi.Carriers, s *settings.Settings[store.Preferences], queue *jobs.Queue, rows *store.Repository,
) *Starter {
	return &Starter{bols, c, s, queue, rows}
}

// Drive is the job by which the robot takes a bill of lading through a stage.
type Drive struct {
	BOL   uuid.UUID   `json:"bol"`
	Stage store.Stage `json:"stage"`
}

// Kind implements jobs.Args.
func (Drive) Kind() string { return "bills_of_lading.robot_drives" }

// Begin has the robot drive if the carrier is drive@sandbox.test, and the company has switched that on.
func (r *Starter) Begin(ctx context.Context, bill uuid.UUID, at store.Stage) error {
	terms, err := r.settings.Read(ctx)
	if err != nil || !terms.Now.Sandbox {
		return err
	}
	b, err := r.bols.Find(ctx, bill)
	if err != nil {
		return ignoreRefusal(err)
	}
	reach, err := r.carriers.Reach(ctx, b.CarrierID.String(), carriersapi.Dispatch)
	if err != nil || reach.Email != "drive@"+carriersapi.SandboxDomain {
		return ignoreRefusal(err)
	}

	return r.rows.InTx(ctx, func(ctx context.Context) error { return r.queue.Enqueue(ctx, Drive{b.ID, at}) })
}

// ignoreRefusal is nil for a refusal: it was done already, or another one was quicker.
func ignoreRefusal(err error) error {
	if errs.IsRefusal(err) {
		return nil
	}

	return err
}

// Robot inspects, signs for both sides, and delivers, by the links of drivers.
type Robot struct {
	bols     *resource.Resource[store.Bol]
	settings *settings.Settings[store.Preferences]
	links    *driverlink.Links
	outside  *outsider.Caller
}

// New returns a Robot.
func New(bols *resource.Resource[store.Bol], s *settings.Settings[store.Preferences], l *driverlink.Links, o *outsider.Caller) *Robot {
	return &Robot{bols, s, l, o}
}

// Drive inspects all vehicles of a bill of lading, and signs for both sides, by a driver's link. Repeated, it changes nothing.
func (r *Robot) Drive(ctx context.Context, job Drive) error {
	b, err := r.bols.Find(ctx, job.BOL)
	if err != nil || b.Due() != job.Stage {
		return ignoreRefusal(err)
	}
	terms, err := r.settings.Read(ctx)
	if err != nil {
		return err
	}
	made, err := r.links.Create(ctx, b.Load)
	if err != nil {
		return ignoreRefusal(err)
	}
	_, text, _ := strings.Cut(made.URL, store.Base+"/driver/")
	link := store.Base + "/driver/" + text
	for n, v := range b.Vehicles.V {
		if err := r.inspect(ctx, link, job.Stage, v, n, int(terms.Now.Photos)); err != nil {
			return err
		}
	}
	for role, name := range map[string]string{store.Driver: "Robby Robot", job.Stage.Counterpart(): "Sandbox customer"} {
		if err := r.post(ctx, link+"/signatures", signing.Entry{BOL: b.ID, Stage: job.Stage, Role: role, Name: name}); err != nil {
			return err
		}
	}

	return nil
}

// inspect takes some photos of the nth vehicle, and completes its inspection.
func (r *Robot) inspect(ctx context.Context, link string, at store.Stage, v store.Vehicle, n, photos int) error {
	for i := range photos {
		if err := r.photo(ctx, link, shot{v.UUID, at, n, i}); err != nil {
			return err
		}
	}
	here := inspecting.Entry{Vehicle: v.UUID, Stage: at, Inspector: "Robby Robot", VIN: v.VIN, Position: field.GeoPoint{Lat: "39.8283", Lng: "-98.5795"}}
	if err := r.post(ctx, link+"/inspections", here); err != nil {
		return err
	}

	return r.post(ctx, link+"/submissions", inspecting.SubmitEntry{Vehicle: v.UUID, Stage: at})
}

// post makes an entry. A refusal means that it was made already.
func (r *Robot) post(ctx context.Context, path string, e any) error {
	body, err := json.Marshal(e)
	if err == nil {
		_, err = r.outside.Post(ctx, path, "application/json", body)
	}

	return err
}

// shot is a photo that the robot takes: the nth of the vehicle with some place on the bill of lading.
type shot struct {
	vehicle  uuid.UUID
	stage    store.Stage
	place, n int
}

func (r *Robot) photo(ctx context.Context, link string, s shot) error {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for name, value := range map[string]string{
		"vehicle_uuid": s.vehicle.String(), "stage": string(s.stage), "subject": inspecting.Subjects[s.n%len(inspecting.Subjects)],
		"client_id": uuid.NewSHA1(s.vehicle, []byte(string(s.stage)+strconv.Itoa(s.n))).String(),
	} {
		if err := w.WriteField(name, value); err != nil {
			return err
		}
	}
	part, err := w.CreateFormFile("file", "photo.png")
	if err == nil {
		_, err = s.picture().WriteTo(part)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return err
	}
	_, err = r.outside.Post(ctx, link+"/photos", w.FormDataContentType(), form.Bytes())

	return err
}

// picture is different for each photo.
func (s shot) picture() *bytes.Reader {
	picture := image.NewRGBA(image.Rect(0, 0, 64, 48))                                       //nolint:mnd // a small one
	shade := color.RGBA{uint8(40 * s.place), uint8(30 * s.n), uint8(len(s.stage)) * 20, 255} //nolint:gosec,mnd // any color does
	for x := range 64 {
		for y := range 48 {
			picture.Set(x, y, shade)
		}
	}
	var file bytes.Buffer
	_ = png.Encode(&file, picture) //nolint:errcheck // a buffer takes all

	return bytes.NewReader(file.Bytes())
}
