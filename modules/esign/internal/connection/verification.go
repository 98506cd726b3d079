package connection

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
)

// The ways in which notifications of an account are verified.
const (
	// verifyAutomatic wants a token and, once there is a key, a signature too.
	VerifyAutomatic = "automatic"
	VerifyBearer    = "bearer"
	VerifyHMAC      = "hmac"
	VerifyBoth      = "both"
	VerifyEither    = "either"
)

// CallbackScope is what a token of the company needs to be shown to the receiver.
const CallbackScope = "callback"

// What the log of deliveries calls what has verified one; an id follows.
const (
	byKey    = "key:"
	byClient = "client:"
	byToken  = "token:"
)

// usedPause is how long it is not written down again that a key or a client was used.
const usedPause = time.Hour

// Verifier verifies notifications.
type Verifier struct {
	store    *store.Repository
	keys     *Keys
	identity *identity.Service
	clock    clock.Clock
}

// NewVerifier returns a Verifier.
func NewVerifier(r *store.Repository, k *Keys, i *identity.Service, c clock.Clock) *Verifier {
	return &Verifier{store: r, keys: k, identity: i, clock: c}
}

// Scheme is what verifies the notifications of an account.
func (s *Verifier) Scheme(ctx context.Context, row store.Account) (verify.Scheme, error) {
	bearer := s.bearer(row)
	if row.Verification == VerifyBearer {
		return bearer, nil
	}
	keys, err := s.keys.verifyKeys(ctx, row)
	if err != nil {
		return nil, err
	}
	signature := verify.DocuSign(keys...)
	switch row.Verification {
	case VerifyHMAC:
		return signature, nil
	case VerifyEither:
		return verify.Any(bearer, signature), nil
	case VerifyAutomatic:
		if len(keys) == 0 {
			return bearer, nil
		}
	}

	return verify.All(bearer, signature), nil
}

// bearer verifies tokens that the vendor got for this account from the token endpoint, and the company's own that have
// the scope for it. Which of both it is, is told by what they begin with.
func (s *Verifier) bearer(row store.Account) verify.Scheme {
	return func(ctx context.Context, r verify.Request) (string, error) {
		name, text, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		text = strings.TrimSpace(text)
		if !strings.EqualFold(name, "bearer") || text == "" {
			return "", verify.ErrUnsigned
		}
		if !strings.HasPrefix(text, tokenPrefix) {
			return s.ownToken(ctx, row, text)
		}
		found, err := s.store.TokenOf(ctx, row.ID, hashOf(text), r.Now)
		if err != nil {
			return "", err
		}
		if found == nil {
			return "", verify.ErrMismatch
		}

		return byClient + found.ClientID.String(), nil
	}
}

// ownToken verifies a token of the service's own.
func (s *Verifier) ownToken(ctx context.Context, row store.Account, text string) (string, error) {
	who, err := s.identity.Authenticate(ctx, text)
	if errs.KindOf(err) == errs.Unauthenticated {
		return "", verify.ErrMismatch
	}
	if err != nil {
		return "", err
	}
	if who.Company != row.CompanyID || !who.Allows(esignapi.Area+":"+CallbackScope) {
		return "", verify.ErrMismatch
	}

	return byToken + who.Token.String(), nil
}

// MarkUsed notes what has verified a delivery.
func (s *Verifier) MarkUsed(ctx context.Context, matched string) error {
	now := s.clock.Now()
	for part := range strings.SplitSeq(matched, "+") {
		kind, text, _ := strings.Cut(part, ":")
		id, err := uuid.Parse(text)
		if err != nil {
			continue
		}
		switch kind + ":" {
		case byKey:
			err = s.store.TouchKey(ctx, id, now, now.Add(-usedPause))
		case byClient:
			err = s.store.TouchClient(ctx, id, now, now.Add(-usedPause))
		}
		if err != nil {
			return err
		}
	}

	return nil
}
