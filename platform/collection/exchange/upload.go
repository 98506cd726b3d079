package exchange

import (
	"strings"

	"github.com/dispatchd/dispatchd/platform/collection/exchange/readers"
	"github.com/dispatchd/dispatchd/platform/web/upload"
)

// Media are the media types of exports and of the file of errors.
var Media = []string{mediaCSV, mediaLines, mediaSheet}

const (
	mediaCSV   = "text/csv"
	mediaLines = "application/x-ndjson"
	mediaSheet = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
)

// UploadMedia are the media types of files that are imported.
var UploadMedia = []string{mediaCSV, mediaLines, mediaSheet, "application/jsonl", "application/csv", "application/vnd.ms-excel", "application/octet-stream", "text/plain", "multipart/form-data"}

// Upload is the input of an operation that takes a file.
type Upload struct {
	upload.Upload

	Format    format            `query:"format" enum:"csv,jsonl,xlsx" doc:"What the file is. Without it, a ZIP archive is a workbook (xlsx), application/x-ndjson, application/jsonl and names that end in .jsonl or .ndjson are JSON Lines, and all else is CSV."`
	Encoding  readers.Encoding  `query:"encoding" enum:"utf-8,utf-16,windows-1252" doc:"How the characters of the file are written. Without it, the byte order mark says it; a file without one is UTF-8 or, if its beginning is not, Windows-1252."`
	Delimiter readers.Separator `query:"delimiter" enum:"comma,semicolon,tab,pipe" doc:"What stands between values. Without it, the one that a first line such as sep=; says, or that the first lines have most of."`
	HeaderRow int               `query:"header_row" minimum:"1" maximum:"1000" doc:"The number of the row with the names of the columns, as a spreadsheet shows it. Without it, the first row that is no title above the others."`
	Sheet     string            `query:"sheet" maxLength:"100" doc:"The name of the sheet of a workbook. Without it, the first one."`
	FileName  string            `query:"file_name" maxLength:"255" doc:"What people call the file; a form says it too."`
}

func (in *Upload) fileName() string {
	if name := in.Name(); name != "" {
		return readers.Truncate(strings.ToValidUTF8(name, "_"), 255)
	}

	return in.FileName
}

// format is what the file is.
func (in *Upload) format() format {
	if in.Format != "" {
		return in.Format
	}
	name := strings.ToLower(in.fileName())
	if in.Media() == mediaSheet {
		return asSheet
	}
	if in.Media() == mediaLines || in.Media() == "application/jsonl" || strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".ndjson") {
		return asLines
	}

	return asCSV
}
