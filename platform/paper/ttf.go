package paper

import (
	"encoding/binary"
	"errors"
)

// Sizes of the parts of a font file (ISO/IEC 14496-22).
const (
	tableRecord = 16
	fileHeader  = 12
	mostTables  = 64
)

var errNoFont = errors.New("it is no TrueType font")

// firstOf returns the first font of a collection as a file of its own, and any other file unchanged.
func firstOf(file []byte) ([]byte, error) {
	const header, first = 16, 12
	if len(file) < header {
		return nil, errNoFont
	}
	if string(file[:4]) != "ttcf" {
		return file, nil
	}
	tables, err := tablesOf(file, int(binary.BigEndian.Uint32(file[first:])))
	if err != nil {
		return nil, err
	}
	out := binary.BigEndian.AppendUint32(nil, 0x00010000)         //nolint:mnd // the version of fonts with outlines of TrueType
	out = binary.BigEndian.AppendUint16(out, uint16(len(tables))) //nolint:gosec // at most mostTables
	out = append(out, make([]byte, 6)...)                         //nolint:mnd // for a search by halves, which nobody here does
	at := fileHeader + tableRecord*len(tables)
	for _, t := range tables {
		out = append(out, t.record[:8]...)
		out = binary.BigEndian.AppendUint32(out, uint32(at))          //nolint:gosec // within the file, whose offsets have 32 bits
		out = binary.BigEndian.AppendUint32(out, uint32(len(t.data))) //nolint:gosec // as above
		at += padded(len(t.data))
	}
	for _, t := range tables {
		out = append(append(out, t.data...), make([]byte, padded(len(t.data))-len(t.data))...)
	}

	return out, nil
}

func padded(n int) int { return (n + 3) &^ 3 } //nolint:mnd // tables begin at whole words

type fontTable struct{ record, data []byte }

// tablesOf are the tables of the font whose directory is at an offset.
func tablesOf(file []byte, at int) ([]fontTable, error) {
	if at < 0 || at+fileHeader > len(file) {
		return nil, errNoFont
	}
	n := int(binary.BigEndian.Uint16(file[at+4:]))
	if n > mostTables || at+fileHeader+n*tableRecord > len(file) {
		return nil, errNoFont
	}
	tables := make([]fontTable, n)
	for i := range tables {
		record := file[at+fileHeader+i*tableRecord:][:tableRecord]
		from, length := uint64(binary.BigEndian.Uint32(record[8:])), uint64(binary.BigEndian.Uint32(record[12:]))
		if from+length > uint64(len(file)) {
			return nil, errNoFont
		}
		tables[i] = fontTable{record, file[from : from+length]}
	}

	return tables, nil
}

// restricted reports whether the license of a font forbids to embed it, or a part of it (OS/2, fsType).
func restricted(file []byte) bool {
	const noEmbedding, noSubset, bitmapsOnly, fsType = 0x0002, 0x0100, 0x0200, 8
	tables, err := tablesOf(file, 0)
	if err != nil {
		return true
	}
	for _, t := range tables {
		if string(t.record[:4]) == "OS/2" && len(t.data) > fsType+1 {
			bits := binary.BigEndian.Uint16(t.data[fsType:])

			return bits&(noSubset|bitmapsOnly) != 0 || bits&0x000f == noEmbedding
		}
	}

	return false
}
