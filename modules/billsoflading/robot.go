package billsoflading

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

	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/outsider"
	"github.com/dispatchd/dispatchd/platform/share"
)

// robot drives for the carrier drive@sandbox.test, where the company has switched that on: it inspects, signs for both sides, and delivers.
type robot struct {
	book    *book
	outside *outsider.Caller
}

func newRobot(k *book, o *outsider.Caller) robot { return robot{k, o} }

func (r robot) onIssued(ctx context.Context, e billsofladingapi.Issued) error {
	return r.begin(ctx, e.BOL, atPickup)
}

func (r robot) onPickedUp(ctx context.Context, e billsofladingapi.PickupSigned) error {
	return r.begin(ctx, e.BOL, atDelivery)
}

// robotDrive is the job by which the robot takes a bill of lading through a stage.
type robotDrive struct {
	BOL   uuid.UUID `json:"bol"`
	Stage stage     `json:"stage"`
}

// Kind implements jobs.Args.
func (robotDrive) Kind() string { return "bills_of_lading.robot_drives" }

// begin has the robot drive if the carrier is the robot's.
func (r robot) begin(ctx context.Context, id string, at stage) error {
	terms, err := r.book.settings.Read(ctx)
	if err != nil || !terms.Now.Sandbox {
		return err
	}
	b, err := r.book.bols.Find(ctx, item.ID(id))
	if err != nil {
		return refusedIsDone(err)
	}
	reach, err := r.book.carriers.Reach(ctx, b.CarrierID.String(), carriersapi.Dispatch)
	if err != nil || reach.Email != "drive@"+carriersapi.SandboxDomain {
		return refusedIsDone(err)
	}

	return r.book.db.InTx(ctx, func(ctx context.Context) error { return r.book.queue.Enqueue(ctx, robotDrive{b.ID, at}) })
}

// refusedIsDone is nil for a refusal: it was done already, or somebody else was quicker.
func refusedIsDone(err error) error {
	if errs.IsRefusal(err) {
		return nil
	}

	return err
}

// drive inspects all vehicles of a bill of lading, and signs for both sides, by a driver's link. Done again, it changes nothing.
func (r robot) drive(ctx context.Context, job robotDrive) error {
	b, err := r.book.bols.Find(ctx, job.BOL)
	if err != nil || b.due() != job.Stage {
		return refusedIsDone(err)
	}
	terms, err := r.book.settings.Read(ctx)
	if err != nil {
		return err
	}
	link, err := r.link(ctx, b.Load)
	if err != nil {
		return refusedIsDone(err)
	}
	for n, v := range b.Vehicles.V {
		for i := range terms.Now.Photos {
			if err := r.photo(ctx, link, v.UUID, job.Stage, n, int(i)); err != nil {
				return err
			}
		}
		here := inspectionEntry{Vehicle: v.UUID, Stage: job.Stage, Inspector: "Robby Robot", VIN: v.VIN, Position: field.GeoPoint{Lat: "39.8283", Lng: "-98.5795"}}
		if err := r.say(ctx, link+"/inspections", here); err != nil {
			return err
		}
		if err := r.say(ctx, link+"/submissions", submitEntry{Vehicle: v.UUID, Stage: job.Stage}); err != nil {
			return err
		}
	}
	for role, name := range map[string]string{driver: "Robby Robot", job.Stage.counterpart(): "Sandbox customer"} {
		if err := r.say(ctx, link+"/signatures", signatureEntry{BOL: b.ID, Stage: job.Stage, Role: role, Name: name}); err != nil {
			return err
		}
	}

	return nil
}

// link is the path of a driver's link for a load, of the robot's own.
func (r robot) link(ctx context.Context, load uuid.UUID) (string, error) {
	var made share.Share
	err := r.book.db.InTx(ctx, func(ctx context.Context) error {
		given, err := r.book.giveDriver(ctx, load)
		if err == nil {
			made, err = r.book.given.Give(ctx, given, share.Create{})
		}

		return err
	})
	_, text, _ := strings.Cut(made.URL, base+"/driver/")

	return base + "/driver/" + text, err
}

// say makes an entry. What is refused was done already.
func (r robot) say(ctx context.Context, path string, e any) error {
	body, err := json.Marshal(e)
	if err == nil {
		_, err = r.outside.Post(ctx, path, "application/json", body)
	}

	return err
}

// photo sends the nth picture of a vehicle.
func (r robot) photo(ctx context.Context, link string, vehicle uuid.UUID, at stage, car, n int) error {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for name, value := range map[string]string{
		"vehicle_uuid": vehicle.String(), "stage": string(at), "subject": subjects[n%len(subjects)], "client_id": uuid.NewSHA1(vehicle, []byte(string(at)+strconv.Itoa(n))).String(),
	} {
		if err := w.WriteField(name, value); err != nil {
			return err
		}
	}
	part, err := w.CreateFormFile("file", "photo.png")
	if err == nil {
		_, err = shot(car, n, at).WriteTo(part)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return err
	}
	_, err = r.outside.Post(ctx, link+"/photos", w.FormDataContentType(), form.Bytes())

	return err
}

// shot is a picture; each is another one.
func shot(vehicle, n int, at stage) *bytes.Reader {
	picture := image.NewRGBA(image.Rect(0, 0, 64, 48))                                //nolint:mnd // a small one
	shade := color.RGBA{uint8(40 * vehicle), uint8(30 * n), uint8(len(at)) * 20, 255} //nolint:gosec,mnd // any color does
	for x := range 64 {
		for y := range 48 {
			picture.Set(x, y, shade)
		}
	}
	var file bytes.Buffer
	_ = png.Encode(&file, picture) //nolint:errcheck // a buffer takes all

	return bytes.NewReader(file.Bytes())
}
