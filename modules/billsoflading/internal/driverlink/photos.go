package driverlink

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/inspecting"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/upload"
)

// Photos takes the photos that drivers send by their links.
type Photos struct {
	entrance *Entrance
	uploads  *inspecting.Uploads
}

// NewPhotos returns Photos.
func NewPhotos(e *Entrance, u *inspecting.Uploads) *Photos { return &Photos{e, u} }

// PhotoRoutes are the operations by which drivers send photos.
func PhotoRoutes(r *web.Router, d *Photos) {
	failures := append(store.EntryErrors(), refusals()...)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/driver/{link}/photos", ID: "send_driver_photo", Access: web.Public, Summary: "Send a photo by a driver's link",
		Description: "A form (multipart/form-data) with vehicle_uuid, stage and subject, perhaps client_id, occurred_at, lat, lng, damage_uuid and damage_client_id, and the file as its last field. " +
			"The same file is kept once.",
		Errors: failures, MaxBody: inspecting.MaxPhotoSize, Consumes: []string{upload.FormMedia}, Page: newPages().face.After,
	}, d.send)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/driver/{link}/upload_links", ID: "create_driver_upload_link", Access: web.Public, Secret: true,
		Summary:     "Make a link by which a driver's phone sends photos in pieces (tus)",
		Description: "Photos that come by it belong to the inspection. It is good for three days.", Errors: failures,
	}, d.uploadLink)
}

type photoInput struct {
	upload.Upload

	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
}

func (d *Photos) send(ctx context.Context, in *photoInput) (*recordedOutput, error) {
	ctx, h, err := d.entrance.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	e, err := photoOf(in.Fields())
	if err != nil {
		return nil, err
	}
	b, err := h.with(e.Vehicle)
	if err != nil {
		return nil, err
	}
	e.FileName = in.Name()
	made, err := d.uploads.Receive(ctx, b.ID, e, in)

	return &recordedOutput{recorded{"photo", made.ID}}, err
}

// photoOf reads the fields of a form with a photo.
func photoOf(fields map[string]string) (e inspecting.PhotoEntry, err error) {
	wrong := store.ErrInvalidEntry
	id := func(name string) (found *uuid.UUID) {
		if text := fields[name]; text != "" {
			parsed, err := uuid.Parse(text)
			if err != nil {
				wrong = wrong.WithField(name, "The "+name+" must be a UUID.")
			}
			found = &parsed
		}

		return found
	}
	if v := id("vehicle_uuid"); v != nil {
		e.Vehicle = *v
	}
	if c := id("client_id"); c != nil {
		e.ClientID = *c
	}
	e.Damage, e.DamageClient = id("damage_uuid"), id("damage_client_id")
	e.Subject, e.Stage = cmp.Or(fields["subject"], "other"), store.Stage(fields["stage"])
	if e.Stage != store.AtPickup && e.Stage != store.AtDelivery {
		wrong = wrong.WithField("stage", "The stage must be pickup or delivery.")
	}
	if text := fields["occurred_at"]; text != "" {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			wrong = wrong.WithField("occurred_at", "`occurred_at` must be a time such as 2026-12-01T10:00:00Z.")
		}
		e.OccurredAt = at
	}
	if fields["lat"] != "" && fields["lng"] != "" {
		there := false
		if e.Position, there = pointOf(fields["lat"], fields["lng"]); !there {
			wrong = wrong.WithField("lat", "The lat and lng must be degrees.")
		}
	}
	if len(wrong.Fields) > 0 {
		return e, wrong
	}

	return e, nil
}

type uploadLinkInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Vehicle uuid.UUID   `json:"vehicle_uuid"`
		Stage   store.Stage `json:"stage" enum:"pickup,delivery"`
		Subject string      `json:"subject" enum:"front,rear,left,right,roof,windshield,odometer,keys,vin_plate,interior,damage,document,other"`
		Count   int         `json:"count,omitempty" minimum:"1" maximum:"60" default:"1" doc:"How many photos may come."`
	}
}

type uploadLinkOutput struct {
	Body struct {
		URL string `json:"url" doc:"Where to send them: a form, or in pieces by tus. Only this response has it."`
	}
}

func (d *Photos) uploadLink(ctx context.Context, in *uploadLinkInput) (*uploadLinkOutput, error) {
	ctx, h, err := d.entrance.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	b, err := h.with(in.Body.Vehicle)
	if err != nil {
		return nil, err
	}
	out := &uploadLinkOutput{}
	out.Body.URL, err = d.uploads.Invite(ctx, inspecting.HandOver{Bill: b.ID, Vehicle: in.Body.Vehicle, Stage: in.Body.Stage}, in.Body.Subject, in.Body.Count)

	return out, err
}
