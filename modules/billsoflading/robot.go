package billsoflading

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
)

// robot drives for the carrier drive@sandbox.test, where the company has switched that on: it inspects, signs for both sides, and delivers.
type robot struct {
	book    *book
	entered *recorder
}

func newRobot(k *book, r *recorder) robot { return robot{k, r} }

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

// drive inspects all vehicles of a bill of lading, and signs for both sides. Done again, it changes nothing.
func (r robot) drive(ctx context.Context, job robotDrive) error {
	b, err := r.book.bols.Find(ctx, job.BOL)
	if err != nil || b.due() != job.Stage {
		return refusedIsDone(err)
	}
	terms, err := r.book.settings.Read(ctx)
	if err != nil {
		return err
	}
	for n, v := range b.Vehicles.V {
		for i := range terms.Now.Photos {
			id := uuid.NewSHA1(v.UUID, []byte{job.Stage[0], byte(i)})
			e := photoEntry{ClientID: id, Vehicle: v.UUID, Stage: job.Stage, Subject: subjects[int(i)%len(subjects)], FileName: "photo.png"}
			if _, err := r.entered.picture(ctx, b.ID, e, shot(n, int(i), job.Stage)); err != nil {
				return refusedIsDone(err)
			}
		}
		here := inspectionEntry{Vehicle: v.UUID, Stage: job.Stage, Inspector: "Robby Robot", VIN: v.VIN, Position: field.GeoPoint{Lat: "39.8283", Lng: "-98.5795"}}
		if _, err := r.entered.record(ctx, b.ID, here); err != nil {
			return refusedIsDone(err)
		}
		if _, err := r.entered.submit(ctx, b.ID, submitEntry{Vehicle: v.UUID, Stage: job.Stage}); err != nil {
			return refusedIsDone(err)
		}
	}
	for role, name := range map[string]string{driver: "Robby Robot", job.Stage.counterpart(): "Sandbox customer"} {
		if _, err := r.book.sign(ctx, signatureEntry{BOL: b.ID, Stage: job.Stage, Role: role, Name: name}, false); refusedIsDone(err) != nil {
			return err
		}
	}

	return nil
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
