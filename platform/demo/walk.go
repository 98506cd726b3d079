package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.uber.org/fx"
	"go.yaml.in/yaml/v3"

	"github.com/dispatchd/dispatchd/platform/module"
)

// Walk is what becomes of something from its beginning to its end, as requests on a running service: `dispatchd demo walk` takes it. It is
// YAML:
//
//	title: A car from the first call to the delivery
//	steps:
//	  - say: Ann calls.
//	    call: POST /loads/api/v1/quick_loads
//	    body: {from: "75201", available_from: "${today}"}
//	    save: {load: load.uuid}
//	  - say: It is delivered.
//	    call: GET /loads/api/v1/loads/${load}
//	    until: {state: delivered}
//
// ${name} is what an earlier step has saved, by its path in the answer; ${today} is the day. A step with until is repeated until the answer has
// those values.
type Walk struct {
	Title string `yaml:"title"`
	Steps []Step `yaml:"steps"`
}

// Step is a request of a Walk.
type Step struct {
	Say   string            `yaml:"say"`
	Call  string            `yaml:"call"`
	Body  any               `yaml:"body"`
	Save  map[string]string `yaml:"save"`
	Until map[string]string `yaml:"until"`
}

// Tells is the manifest line of a walk, which is a file of YAML. One that cannot be read keeps the service from starting.
func Tells(files fs.FS, name string) fx.Option {
	var w Walk
	text, err := fs.ReadFile(files, name)
	if err == nil {
		err = yaml.Unmarshal(text, &w)
	}
	if err != nil {
		return fx.Error(fmt.Errorf("walk of the demo %s: %w", name, err))
	}

	return module.Contribute("walk", w.Title, w, nil)
}

const (
	// patience is for how long a step with until is repeated, pause how long it waits meanwhile.
	patience = time.Minute
	pause    = 200 * time.Millisecond
	// oneCall is how long an answer may take.
	oneCall = 10 * time.Second
)

// Take takes the walk on a service at an address as the bearer of a token, and writes what happens.
func (w Walk) Take(ctx context.Context, url, token string, today time.Time, out io.Writer) error {
	known := map[string]string{"today": today.UTC().Format(time.DateOnly)}
	if _, err := fmt.Fprintln(out, w.Title); err != nil {
		return err
	}
	for i, s := range w.Steps {
		if err := s.take(ctx, url, token, known, out); err != nil {
			return fmt.Errorf("step %d, %s: %w", i+1, s.Call, err)
		}
	}

	return nil
}

func (s Step) take(ctx context.Context, url, token string, known map[string]string, out io.Writer) error {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	for {
		answer, err := s.send(ctx, url, token, known)
		if err != nil {
			return err
		}
		if has(answer, s.Until) {
			for name, path := range s.Save {
				known[name] = at(answer, path)
			}
			_, err := fmt.Fprintln(out, "  "+fill(s.Say, known))

			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("it did not come to %v: %w", s.Until, ctx.Err())
		case <-time.After(pause):
		}
	}
}

// send sends the request, and returns what the answer has.
func (s Step) send(ctx context.Context, url, token string, known map[string]string) (answer any, err error) {
	ctx, stop := context.WithTimeout(ctx, oneCall)
	defer stop()
	var body io.Reader = http.NoBody
	if s.Body != nil {
		text, err := json.Marshal(s.Body)
		if err != nil {
			return nil, err
		}
		body = strings.NewReader(fill(string(text), known))
	}
	method, path, _ := strings.Cut(fill(s.Call, known), " ")
	request, err := http.NewRequestWithContext(ctx, method, url+path, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		return nil, fmt.Errorf("%d: %s", response.StatusCode, bytes.TrimSpace(text))
	}
	if len(text) == 0 {
		return nil, nil //nolint:nilnil // an answer without a body
	}

	return answer, json.Unmarshal(text, &answer)
}

// fill puts what is known in the place of its names.
func fill(text string, known map[string]string) string {
	for name, value := range known {
		text = strings.ReplaceAll(text, "${"+name+"}", value)
	}

	return text
}

// has reports whether an answer has values at their paths.
func has(answer any, values map[string]string) bool {
	for path, want := range values {
		if at(answer, path) != want {
			return false
		}
	}

	return true
}

// at is what an answer has at a path such as offers.0.uuid, "" for nothing.
func at(answer any, path string) string {
	for name := range strings.SplitSeq(path, ".") {
		switch here := answer.(type) {
		case map[string]any:
			answer = here[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(here) {
				return ""
			}
			answer = here[i]
		default:
			return ""
		}
	}
	if answer == nil {
		return ""
	}

	return fmt.Sprint(answer)
}
