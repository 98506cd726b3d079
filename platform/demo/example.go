package demo

import (
	"encoding/json"
	"fmt"
	"strings"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/module"
)

// Example is a request that works on the demo company at once; the terminal shows the first.
type Example struct {
	Method string
	Path   string
	// Body is sent as JSON; nil sends none.
	Body any
}

// Try is the manifest line of an example request.
func Try(e Example) fx.Option {
	return module.Contribute("example", e.Method+" "+e.Path, e, nil)
}

// Curl returns the request as one line for a shell that can read the token file.
func (e Example) Curl(base, tokenFile string) string {
	line := fmt.Sprintf(`curl -H "Authorization: Bearer $(cat %s)"`, shellQuote(tokenFile))
	if e.Body != nil {
		body, err := json.Marshal(e.Body)
		if err != nil {
			return "curl " + base + "/"
		}
		line += " -H 'Content-Type: application/json' -d " + shellQuote(string(body))
	}
	if e.Method != "GET" && e.Method != "POST" {
		line += " -X " + e.Method
	}

	return line + " " + base + e.Path
}

// shellQuote makes text one word for a POSIX shell.
func shellQuote(text string) string {
	if strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-") == "" {
		return text
	}

	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
