package web

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/idempotency"
	"github.com/dispatchd/dispatchd/platform/web/binding"
	"github.com/dispatchd/dispatchd/platform/web/jsonbody"
)

// The headers of requests that may be repeats (draft-ietf-httpapi-idempotency-key-header).
const (
	headerKey      = "Idempotency-Key"
	headerReplayed = "Idempotency-Replayed"
)

// longestKey is how long a key may be, in characters.
const longestKey = 255

var (
	errKey = errs.New(errs.Invalid, "web.idempotency_key_invalid", "The Idempotency-Key must be given once and have 1 to 255 printable ASCII characters.").
		WithField(headerKey, "The Idempotency-Key must be given once and have 1 to 255 printable ASCII characters.")
	errNoKeeper = errors.New("no store for answers is registered")
)

// KeepAnswers has k keep the answers to requests with an Idempotency-Key. It is called before Start.
func (a *API) KeepAnswers(k *idempotency.Keeper) { a.keeper = k }

// keyable reports whether a request of the operation may be a repeat: a POST of somebody, whose body
// and answer are no streams.
func (e *endpoint) keyable(in, out reflect.Type) bool {
	_, typed := in.FieldByName("Body")
	body, answers := out.FieldByName("Body")
	streams := answers && body.Type.Kind() == reflect.Func

	return e.op.Method == http.MethodPost && !e.op.Outside && e.scope != "" && !streams && (typed || e.raw || !e.takesBody)
}

// perform answers the call. If it may be a repeat, everything from reading the body's JSON to
// writing the answer happens in one transaction: the body is read from memory, so that it can be
// done again, and the answer goes into a recording, which is kept and sent.
func (e *endpoint) perform(c *call, plan *binding.Plan) {
	header := c.fiber.Request().Header.PeekAll(headerKey)
	if !e.keyed || len(header) == 0 {
		e.answer(c, plan)

		return
	}
	key, err := parseKey(header)
	if err != nil {
		e.api.send(c.fiber, e.fail(c.ctx, err))

		return
	}
	if !e.readWhole(c) {
		e.answer(c, plan) // says what is wrong with the body

		return
	}
	if err := e.answerOnce(c, key, plan); err != nil {
		e.api.send(c.fiber, e.fail(c.ctx, err))
	}
}

// answerOnce answers the call, with the kept answer if it is a repeat.
func (e *endpoint) answerOnce(c *call, key string, plan *binding.Plan) error {
	if e.api.keeper == nil {
		return errNoKeeper
	}
	leave, err := e.enter(c)
	if err != nil {
		return err
	}
	defer leave()
	request := idempotency.Request{Key: key, Fingerprint: e.fingerprint(c), Secret: e.op.Secret}
	answer, kept, err := e.api.keeper.Once(c.ctx, request, c.record(plan))
	if refusal, ok := errors.AsType[*refusalError](err); ok {
		c.send(refusal.answer)

		return nil
	}
	if err != nil {
		return err
	}
	if kept {
		c.SetHeader(headerReplayed, "true")
	}
	c.send(answer)

	return nil
}

// fingerprint is the same for the same operation, path, query and body.
func (e *endpoint) fingerprint(c *call) []byte {
	hash := sha256.New()
	for _, part := range [][]byte{[]byte(e.info.ID), c.fiber.Request().URI().RequestURI(), c.body} {
		_, _ = hash.Write(part) // never fails
		_, _ = hash.Write([]byte{0})
	}

	return hash.Sum(nil)
}

// parseKey reads the key. The draft has it in quotes, as a string of RFC 9651, most clients do not;
// both are the same key.
func parseKey(headers [][]byte) (string, error) {
	key := strings.TrimSpace(string(headers[0]))
	if inner := strings.TrimSuffix(strings.TrimPrefix(key, `"`), `"`); len(inner) == len(key)-2 {
		key = strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(inner)
	}
	unprintable := strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r > '~' })
	if len(headers) > 1 || key == "" || len(key) > longestKey || unprintable {
		return "", errKey
	}

	return key, nil
}

// readWhole reads the body into memory, and reports whether that is all of it. If it is not, what there is can be read again, and the
// reason.
func (e *endpoint) readWhole(c *call) bool {
	return !e.takesBody || readUpTo(e, c, e.limit)
}

// readNothing refuses what is sent to an operation that takes no body: whoever asks for something in it would not get it. An
// empty object and null ask for nothing.
func readNothing(e *endpoint, c *call) error {
	const most = 4096
	if e.takesBody || e.op.Method == http.MethodGet || e.op.Method == http.MethodOptions || c.fiber.Request().Header.ContentLength() == 0 {
		return nil
	}
	if c.BodyReader() == nil {
		return nil
	}
	if !readUpTo(e, c, most) {
		return jsonbody.Invalid(map[string][]string{"body": {"The body must be empty: the operation takes none."}})
	}
	text := bytes.TrimSpace(c.body)
	c.body = nil
	if len(text) == 0 || string(text) == "null" {
		return nil
	}

	return jsonbody.Decode(text, &struct{}{})
}

// readUpTo is readWhole for a body of at most limit bytes.
func readUpTo(e *endpoint, c *call, limit int64) bool {
	stream := c.BodyReader()
	if stream == nil {
		return false
	}
	deadline := time.Now().Add(e.readTimeout) //nolint:forbidigo // of a connection, which knows no other clock
	err := c.SetReadDeadline(deadline)
	var text []byte
	if err == nil {
		text, err = io.ReadAll(io.LimitReader(stream, limit+2))
	}
	if err != nil || int64(len(text)) > limit {
		c.source = io.MultiReader(bytes.NewReader(text), brokenReader{err})

		return false
	}
	c.body, c.whole = text, true

	return true
}

// brokenReader reads nothing but its error.
type brokenReader struct{ err error }

// Read implements io.Reader.
func (r brokenReader) Read([]byte) (int, error) {
	if r.err == nil {
		return 0, io.EOF
	}

	return 0, r.err
}
