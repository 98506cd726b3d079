package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/cors"

	"github.com/dispatchd/dispatchd/platform/web/server"
)

// CORSSettings say which pages of other origins may call the service from a browser.
type CORSSettings struct {
	AllowedOrigins   []string      `config:"allowed_origins" doc:"Origins whose pages may call the service from a browser, such as https://app.example.com, https://*.example.com for all subdomains, or * for all. Empty means none."`
	AllowedMethods   []string      `config:"allowed_methods" doc:"Methods that these origins may use."`
	AllowedHeaders   []string      `config:"allowed_headers" doc:"Headers that these origins may send."`
	ExposedHeaders   []string      `config:"exposed_headers" doc:"Response headers that these origins may read."`
	AllowCredentials bool          `config:"allow_credentials" doc:"Whether these origins may send credentials such as cookies. The service reads none; a proxy in front of it may."`
	MaxAge           time.Duration `config:"max_age" doc:"How long a browser may cache the answer to a preflight request."`
}

func defaultCORS() CORSSettings {
	return CORSSettings{
		AllowedMethods: []string{
			http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		},
		AllowedHeaders: []string{
			fiber.HeaderAuthorization, fiber.HeaderContentType, fiber.HeaderIfMatch, fiber.HeaderIfNoneMatch, "Prefer",
			headerKey, fiber.HeaderXRequestID, "Traceparent", "Tracestate", fiber.HeaderRange, fiber.HeaderIfRange, "Last-Event-ID",
			"Tus-Resumable", "Upload-Checksum", "Upload-Length", "Upload-Metadata", "Upload-Offset", server.HeaderMethod,
		},
		ExposedHeaders: []string{
			fiber.HeaderETag, fiber.HeaderLink, fiber.HeaderLocation, fiber.HeaderRetryAfter, headerLimit, headerPolicy,
			headerReplayed, "Preference-Applied", fiber.HeaderWWWAuthenticate, fiber.HeaderXRequestID, fiber.HeaderContentDisposition,
			fiber.HeaderContentRange, fiber.HeaderAcceptRanges,
			"Tus-Checksum-Algorithm", "Tus-Extension", "Tus-Max-Size", "Tus-Resumable", "Tus-Version",
			"Upload-Expires", "Upload-Length", "Upload-Metadata", "Upload-Offset", "Attachment-UUID",
		},
		MaxAge: time.Hour,
	}
}

// cors answers preflight requests, before anybody is asked for a token, and marks answers. It is nil
// if no origin is allowed.
func (s CORSSettings) cors() fiber.Handler {
	if len(s.AllowedOrigins) == 0 {
		return nil
	}

	return cors.New(cors.Config{
		AllowOrigins: strings.Join(s.AllowedOrigins, ","), AllowMethods: strings.Join(s.AllowedMethods, ","),
		AllowHeaders: strings.Join(s.AllowedHeaders, ","), ExposeHeaders: strings.Join(s.ExposedHeaders, ","),
		AllowCredentials: s.AllowCredentials, MaxAge: int(s.MaxAge.Seconds()),
	})
}

func (s CORSSettings) validate() error {
	var problems []error
	for _, origin := range s.AllowedOrigins {
		if !s.validOrigin(origin) {
			problems = append(problems, fmt.Errorf("cors.allowed_origins: %q: want an origin such as https://app.example.com or https://*.example.com, or * by itself", origin))
		}
	}
	if s.AllowCredentials && slices.Contains(s.AllowedOrigins, "*") {
		problems = append(problems, errors.New("cors.allow_credentials: cannot be combined with the origin *: every page could act for its visitors"))
	}
	for _, name := range slices.Concat(s.AllowedMethods, s.AllowedHeaders, s.ExposedHeaders) {
		if !headerName.MatchString(name) {
			problems = append(problems, fmt.Errorf("cors: %q: want names of methods and headers", name))
		}
	}
	if s.MaxAge < 0 {
		problems = append(problems, errors.New("cors.max_age: want a time, such as 1h, or 0"))
	}

	return errors.Join(problems...)
}

func (s CORSSettings) validOrigin(origin string) bool {
	if origin == "*" {
		return len(s.AllowedOrigins) == 1
	}
	plain := strings.Replace(origin, "://*.", "://any.", 1)
	u, err := url.Parse(plain)
	if err != nil || u.Hostname() == "" || strings.ContainsAny(plain, "*,") {
		return false
	}

	return (u.Scheme == "https" || u.Scheme == "http") && u.Scheme+"://"+u.Host == plain
}

// hsts is the header that has browsers come by https alone (RFC 6797), "" if the service is not
// reached by it.
func (s Settings) hsts() string {
	if s.HSTS <= 0 || !strings.HasPrefix(s.BaseURL, "https://") {
		return ""
	}

	return "max-age=" + strconv.Itoa(int(s.HSTS.Seconds()))
}
