package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const image = `FROM golang:1.26.8-bookworm AS build
RUN make static
FROM scratch
COPY --from=build /bin/x /bin/x
USER 65532:65532
VOLUME /data
EXPOSE 8080
HEALTHCHECK CMD ["/bin/x", "health"]
ENTRYPOINT ["/bin/x"]
`

const services = "services:\n  api:\n    image: x:1.0.0\n"

func TestCheck_NamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	tests := []struct{ from, to, complaint string }{
		{"", "", ""},
		{"golang:1.26.8-bookworm", "golang:1.26", "want a tag with the whole version"},
		{"AS build", "as build", "FromAsCasing"},
		{"USER 65532:65532", "USER root", "not root"},
		{"USER 65532:65532", "ENV API_TOKEN=x", "SecretsUsedInArgOrEnv"},
		{"HEALTHCHECK CMD", "CMD", "no HEALTHCHECK"},
		{"COPY --from=build /bin/x", "ADD https://example.com/x", "want COPY"},
		{`ENTRYPOINT ["/bin/x"]`, "ENTRYPOINT /bin/x", "JSONArgsRecommended"},
		{"image: x:1.0.0", "imag: x", "imag"},
		{"image: x:1.0.0", "image: x:1.0.0\n    secrets: [key]", "undefined secret"},
	}
	for _, test := range tests {
		folder := t.TempDir()
		for name, text := range map[string]string{"Dockerfile": image, "compose.yaml": services} {
			if test.from != "" {
				text = strings.Replace(text, test.from, test.to, 1)
			}
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		err := check(t.Context(), folder)
		switch {
		case test.complaint == "" && err != nil:
			t.Fatalf("sound, and yet: %v", err)
		case test.complaint != "" && (err == nil || !strings.Contains(err.Error(), test.complaint)):
			t.Fatalf("%q instead of %q: want %q, got %v", test.to, test.from, test.complaint, err)
		}
	}
}
