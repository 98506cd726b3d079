package packetlink

import (
	"context"
	"slices"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
)

// uploads are the documents that a packet has upload links for.
var uploads = map[string]struct {
	category, title string
	step            string
}{
	packet.Certificate: {packet.Certificate, "Certificate of insurance", packet.StepInsurance},
	packet.StepW9:      {packet.StepW9, "W-9", packet.StepW9},
	packet.Notice:      {packet.Notice, "Notice of assignment", packet.StepRemitTo},
}

// uploadTypes are the accepted media types.
var uploadTypes = []string{"application/pdf", "image/*"}

const (
	uploadSize  = 25 << 20
	uploadFiles = 10
)

// mostUploadLinks is how many upload links a packet may have.
const mostUploadLinks = 50

// Inviter creates the upload links of packets.
type Inviter struct {
	uploads attachmentsapi.Uploads
	brands  companiesapi.Brands
}

// NewInviter returns an Inviter.
func NewInviter(uploads attachmentsapi.Uploads, brands companiesapi.Brands) *Inviter {
	return &Inviter{uploads, brands}
}

// invite creates an upload link that belongs to a packet. Error: packet.ErrTooManyLinks.
func (s *Inviter) invite(ctx context.Context, p *packet.Packet, category, title, message string) (attachmentsapi.UploadLink, error) {
	if len(p.Proposal.V.UploadLinks) >= mostUploadLinks {
		return attachmentsapi.UploadLink{}, packet.ErrTooManyLinks
	}
	brand, err := s.brands.Brand(ctx)
	if err != nil {
		return attachmentsapi.UploadLink{}, err
	}
	made, err := s.uploads.Invite(ctx, attachmentsapi.Upload{
		OwnerType: packet.Item, OwnerUUID: p.ID.String(), Category: category, Title: title, Message: message, Brand: brand.Name, MaxUploads: uploadFiles,
		MaxSize: uploadSize, Types: uploadTypes, ExpiresAt: p.LinkExpires,
	})
	p.Proposal.V.UploadLinks = append(slices.Clone(p.Proposal.V.UploadLinks), made.UUID)

	return made, err
}

// Documents create upload links for the documents of packets.
type Documents struct {
	entrance *Entrance
	saver    *Saver
	inviter  *Inviter
}

// NewDocuments returns a Documents.
func NewDocuments(e *Entrance, s *Saver, i *Inviter) *Documents { return &Documents{e, s, i} }

// upload creates an upload link for a document.
func (s *Documents) upload(ctx context.Context, text, document string) (made attachmentsapi.UploadLink, err error) {
	ctx, row, err := s.entrance.enter(ctx, text)
	if err != nil {
		return made, err
	}
	_, err = s.saver.change(ctx, row.ID, func(ctx context.Context, p *packet.Packet) error {
		of := uploads[document]
		if !p.Asks(of.step) {
			return packet.ErrNotAsked
		}
		made, err = s.inviter.invite(ctx, p, of.category, of.title, "")

		return err
	})

	return made, err
}
