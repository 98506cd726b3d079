package accounts

import (
	"fmt"

	"github.com/dispatchd/dispatchd/modules/esign/internal/docusign"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/sandbox"
	"github.com/dispatchd/dispatchd/modules/esign/internal/settings"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

// NewProviders is the one list of adapters.
func NewProviders(s settings.Settings, network *outbound.Network, clk clock.Clock, box *sandbox.Sandbox) ([]provider.Provider, error) {
	first, err := docusign.New(s.DocuSign, s.MaxDocument, network, clk)
	if err != nil {
		return nil, fmt.Errorf("modules.esign.docusign: %w", err)
	}

	return []provider.Provider{first, box}, nil
}
