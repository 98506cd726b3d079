package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"github.com/gofiber/fiber/v2"
)

// bareFiles is a handler that copies the file of a form to disk and gives it out again: no token, no row, no sum.
type bareFiles struct {
	app   *fiber.App
	dir   string
	calls api
	done  chan error
}

// newBareFiles serves until close.
func newBareFiles(ctx context.Context, dir string) (*bareFiles, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b := &bareFiles{
		app: fiber.New(fiber.Config{StreamRequestBody: true, BodyLimit: -1, DisableStartupMessage: true}),
		dir: dir, calls: api{base: "http://" + listener.Addr().String()}, done: make(chan error, 1),
	}
	b.app.Post("/attachments/api/v1/attachments", b.take)
	b.app.Get("/attachments/api/v1/attachments", func(c *fiber.Ctx) error { return c.SendFile(b.file()) })
	go func() { b.done <- b.app.Listener(listener) }()

	return b, nil
}

func (b *bareFiles) file() string { return filepath.Join(b.dir, "bytes.bin") }

// take copies the file of a form, and brings it to the disk as the product does.
func (b *bareFiles) take(c *fiber.Ctx) error {
	_, parameters, err := mime.ParseMediaType(c.Get(fiber.HeaderContentType))
	if err != nil {
		return err
	}
	body := c.Context().RequestBodyStream()
	part, err := multipart.NewReader(body, parameters["boundary"]).NextPart()
	if err != nil {
		return err
	}
	to, err := os.Create(b.file())
	if err != nil {
		return err
	}
	size, err := io.Copy(to, part)
	if err == nil {
		_, err = io.Copy(io.Discard, body) // the end of the form
	}
	if err := errors.Join(err, to.Sync(), to.Close()); err != nil {
		return fmt.Errorf("bare file: %w", err)
	}

	return c.SendString(`{"uuid": "", "size": ` + strconv.FormatInt(size, 10) + `}`)
}

func (b *bareFiles) close() error {
	return errors.Join(b.app.Shutdown(), <-b.done, os.RemoveAll(b.dir))
}
