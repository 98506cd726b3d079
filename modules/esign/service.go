package esign

import (
	"github.com/dispatchd/dispatchd/modules/esign/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/esign/internal/connection"
	"github.com/dispatchd/dispatchd/modules/esign/internal/documents"
	"github.com/dispatchd/dispatchd/modules/esign/internal/envelopes"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/modules/esign/internal/templates"
	"github.com/dispatchd/dispatchd/platform/state"
)

// service has the handlers of the operations.
type service struct {
	store       *store.Repository
	vendors     *accounts.Vendors
	accounts    *accounts.Service
	connections *connection.Service
	templates   *templates.Service
	mappings    *templates.Mappings
	envelopes   *envelopes.Service
	orders      *envelopes.Orders
	signing     *envelopes.Signing
	documents   *documents.Archive
	states      *state.Log
}

func newService(s services) *service {
	return &service{
		store: s.Store, vendors: s.Vendors, accounts: s.Accounts, connections: s.Connections, templates: s.Templates, mappings: s.Mappings,
		envelopes: s.Envelopes, orders: s.Orders, signing: s.Signing, documents: s.Documents, states: s.States,
	}
}
