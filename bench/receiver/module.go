package main

import (
	"context"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/module"
)

// receiver takes notifications: the id of an endpoint is its company's, and everybody signs with the same key.
type receiver struct{}

func (receiver) find(_ context.Context, id uuid.UUID) (inbound.Endpoint, error) {
	return inbound.Endpoint{Company: id, Scheme: verify.DocuSign(verify.Key{ID: "bench", Secret: []byte("bench")})}, nil
}

func (receiver) process(context.Context, inbound.Delivery) error { return nil }

func area() module.Module {
	return module.New("receiver", "Notifications to be measured", fx.Supply(receiver{}, fx.Private),
		inbound.Receiver(inbound.Kind[receiver]{
			Name: "note", Path: "/notes/{uuid}", Summary: "Take a notification", MaxBody: 2 * config.MiB,
			Find: receiver.find, Process: receiver.process, Answer: inbound.EmptyObject(),
		}))
}
