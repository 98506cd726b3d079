package idempotency

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Answer is an answer as it was sent.
type Answer struct {
	Status  int
	Headers []Header
	Body    []byte
}

// Header is a header that was set or, with Append, added to those of its name.
type Header struct {
	Name   string `json:"n"`
	Value  string `json:"v"`
	Append bool   `json:"a,omitempty"`
}

// encode returns the headers as a line of JSON, and then the body.
func (a Answer) encode() ([]byte, error) {
	text, err := json.Marshal(a.Headers)
	if err != nil {
		return nil, err
	}

	return append(append(text, '\n'), a.Body...), nil
}

var errAnswer = errors.New("stored answer: the line of headers is missing")

func decode(status int, text []byte) (Answer, error) {
	head, body, ok := bytes.Cut(text, []byte("\n"))
	if !ok {
		return Answer{}, errAnswer
	}
	a := Answer{Status: status, Body: body}
	if err := json.Unmarshal(head, &a.Headers); err != nil {
		return Answer{}, fmt.Errorf("stored answer: %w", err)
	}

	return a, nil
}
