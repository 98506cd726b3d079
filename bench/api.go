package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
)

const (
	modulesPath = "/custom_modules/api/v1/modules"
	recordsPath = "/custom_modules/api/v1/records"
)

// api calls the product one request at a time, for what must be there before anything is measured.
type api struct {
	base, token string
	request     string // the id that requests get, if any
}

// created is what is used of a module or record in an answer.
type created struct {
	UUID string `json:"uuid"`
}

// list is what is used of a page.
type list struct {
	Data []json.RawMessage `json:"data"`
	Meta struct {
		NextCursor string `json:"next_cursor"`
	} `json:"meta"`
}

// call sends a request and reads the answer. Anything but 200 is an error.
func (a api) call(ctx context.Context, method, path string, body []byte, answer any) (err error) {
	request, err := http.NewRequestWithContext(ctx, method, a.base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+a.token)
	request.Header.Set("Content-Type", "application/json")
	if a.request != "" {
		request.Header.Set("X-Request-ID", a.request)
	}
	response, err := (&http.Client{Timeout: requestTimeout}).Do(request)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s %s", method, path, response.Status, text)
	}

	return json.Unmarshal(text, answer)
}

// post sends a value as JSON.
func (a api) post(ctx context.Context, path string, value, answer any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}

	return a.call(ctx, http.MethodPost, path, body, answer)
}

func (a api) createModule(ctx context.Context, name string, fields []field) (string, error) {
	var answer created
	err := a.post(ctx, modulesPath, map[string]any{"name": name, "fields": fields}, &answer)

	return answer.UUID, err
}

func (a api) createRecord(ctx context.Context, module string, payload map[string]any) (string, error) {
	var answer created
	err := a.post(ctx, recordsPath, map[string]any{"module_uuid": module, "payload": payload}, &answer)

	return answer.UUID, err
}

// cursorAt follows next_cursor until depth records are behind, and returns the cursor of the page
// that comes then.
func (a api) cursorAt(ctx context.Context, module string, depth int) (string, error) {
	const most = 200 // per page
	cursor := ""
	for done := 0; done < depth; {
		size := min(most, depth-done)
		query := url.Values{"module_uuid": {module}, "per_page": {strconv.Itoa(size)}}
		if cursor != "" {
			query.Set("cursor", cursor)
		}
		var page list
		if err := a.call(ctx, http.MethodGet, recordsPath+"?"+query.Encode(), nil, &page); err != nil {
			return "", err
		}
		if len(page.Data) != size || page.Meta.NextCursor == "" {
			return "", fmt.Errorf("the list ends after %d records, before depth %d", done+len(page.Data), depth)
		}
		done += size
		cursor = page.Meta.NextCursor
	}

	return cursor, nil
}
