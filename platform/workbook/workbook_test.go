package workbook_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/workbook"
)

func limits() workbook.Limits {
	return workbook.Limits{Sheet: 1 << 20, Texts: 1 << 18, Row: 1 << 14, Columns: 20}
}

// packed makes a workbook of a sheet, the texts that its cells share and its styles, as spreadsheets write them.
func packed(t *testing.T, rows, texts, formats string) []byte {
	t.Helper()
	var file bytes.Buffer
	archive := zip.NewWriter(&file)
	for name, text := range map[string]string{
		"xl/workbook.xml": `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>` +
			`<sheet name="Notes" r:id="r1"/><sheet name="Loads" r:id="r2"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/>` +
			`<Relationship Id="r2" Target="/xl/worksheets/sheet2.xml"/></Relationships>`,
		"xl/worksheets/sheet1.xml": `<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>only a note</t></is></c></row></sheetData></worksheet>`,
		"xl/worksheets/sheet2.xml": `<worksheet><sheetData>` + rows + `</sheetData></worksheet>`,
		"xl/sharedStrings.xml":     `<sst>` + texts + `</sst>`,
		"xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="[$-409]d\-mmm\-yy;@"/><numFmt numFmtId="171" formatCode="&quot;Day &quot;#,##0"/>` +
			`<numFmt numFmtId="172" formatCode="00000"/><numFmt numFmtId="173" formatCode="00000\-0000"/><numFmt numFmtId="174" formatCode="000-00-0000;@"/>` +
			`<numFmt numFmtId="175" formatCode="0.00"/></numFmts>` +
			`<cellXfs>` + formats + `</cellXfs></styleSheet>`,
	} {
		to, err := archive.Create(name)
		require.NoError(t, err)
		_, err = io.WriteString(to, text)
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())

	return file.Bytes()
}

// all reads a sheet, each row with its number in front.
func all(file []byte, sheet string, l workbook.Limits) ([]string, error) {
	r, err := workbook.Open(bytes.NewReader(file), int64(len(file)), sheet, l)
	if err != nil {
		return nil, err
	}
	defer r.Close() //nolint:errcheck // it was read
	var rows []string
	for {
		cells, number, err := r.Next()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		rows = append(rows, fmt.Sprintf("%d:%s", number, strings.Join(cells, "|")))
	}
}

func TestReader_ReadsWhatPeopleSee(t *testing.T) {
	t.Parallel()
	file := packed(t, `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row><row r="2"/>`+
		`<row r="5"><c r="A5" s="1"><v>46143</v></c><c r="B5" s="2"><v>46143.604166666664</v></c><c r="C5" s="3"><v>0.125</v></c><c r="E5"><v>0.30000000000000004</v></c></row>`+
		`<row><c><v>1250</v></c><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c><c t="str"><v>a_x000D_b</v></c><c s="4"><v>46143</v></c><c s="1"><v>0.5</v></c></row>`,
		`<si><t>Load</t></si><si><r><t>Pick</t></r><r><t>up</t></r><rPh><t>no</t></rPh></si>`,
		`<xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="10"/><xf numFmtId="171"/>`)
	rows, err := all(file, "loads", limits())
	require.NoError(t, err)
	require.Equal(t, []string{
		"1:Load|Pickup", "5:2026-05-01|2026-05-01 14:30:00|12.5%||0.3", "6:1250|true|#N/A|a\rb|46143|12:00:00",
	}, rows)
	rows, err = all(file, "", limits())
	require.NoError(t, err)
	require.Equal(t, []string{"1:only a note"}, rows)
	_, err = all(file, "Trucks", limits())
	require.EqualError(t, err, `The workbook has no sheet "Trucks"; it has Notes, Loads.`)
}

func TestReader_KeepsLeadingZerosThatAreShown(t *testing.T) {
	t.Parallel()
	file := packed(t, `<row><c s="1"><v>4101</v></c><c s="2"><v>41011234</v></c><c s="3"><v>12345678</v></c><c s="4"><v>4101</v></c><c s="1"><v>123456</v></c><c s="1"><v>1.5</v></c><c s="1"><v>-7</v></c></row>`,
		"", `<xf numFmtId="0"/><xf numFmtId="172"/><xf numFmtId="173"/><xf numFmtId="174"/><xf numFmtId="175"/>`)
	rows, err := all(file, "Loads", limits())
	require.NoError(t, err)
	require.Equal(t, []string{"1:04101|04101-1234|012-34-5678|4101|123456|1.5|-7"}, rows)
}

func TestReader_RefusesWhatGrowsTooLargeWhenUnpacked(t *testing.T) {
	t.Parallel()
	bomb := strings.Repeat("<row><c><v>1</v></c></row>", 100_000)
	_, err := all(packed(t, bomb, "", ""), "Loads", limits())
	require.ErrorContains(t, err, "is larger than 1 MiB when unpacked")
	_, err = all(packed(t, "", "<si><t>"+strings.Repeat("x", 1<<20)+"</t></si>", ""), "Loads", limits())
	require.ErrorContains(t, err, "sharedStrings.xml")
	large := limits()
	large.Sheet = 1 << 30
	_, err = all(packed(t, `<row><c t="inlineStr"><is><t>`+strings.Repeat("x", 1<<20)+`</t></is></c></row>`, "", ""), "Loads", large)
	require.ErrorContains(t, err, "row after row 1")
	_, err = all(packed(t, `<row><c r="AAA1"><v>1</v></c></row>`, "", ""), "Loads", large)
	require.ErrorContains(t, err, "more than 20 columns")
	_, err = all([]byte("PK\x03\x04 and nothing"), "", large)
	require.ErrorAs(t, err, new(workbook.Error))
	_, err = all(packed(t, `<row><c><v>1</row>`, "", ""), "Loads", large)
	require.ErrorAs(t, err, new(workbook.Error))
}

func TestWriter_WritesWhatTheReaderReads(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	w, err := workbook.NewWriter(&file, "Loads: 2026/27 and what else there is", []string{"Load", "Pickup <1>"})
	require.NoError(t, err)
	require.NoError(t, w.Row([]workbook.Cell{
		{Text: "=1+1"},
		{Text: "2026-05-01", Kind: workbook.Date},
		{Text: "2026-05-01 14:30:00", Kind: workbook.Moment},
		{Text: "-1250.5", Kind: workbook.Number},
		{Text: "12345678901234567.12", Kind: workbook.Number},
		{Text: "true", Kind: workbook.Truth},
		{Text: " a\r\n\x01_x0041_&<", Kind: workbook.Text},
		{Text: "1800-01-01", Kind: workbook.Date},
	}))
	require.NoError(t, w.Close())
	rows, err := all(file.Bytes(), "", limits())
	require.NoError(t, err)
	require.Equal(t, []string{
		"1:Load|Pickup <1>", "2:=1+1|2026-05-01|2026-05-01 14:30:00|-1250.5|12345678901234567.12|true| a\r\n\x01_x0041_&<|1800-01-01",
	}, rows)
}

func FuzzReader_EndsWithRowsOrAnError(f *testing.F) {
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, file []byte) {
		if _, err := all(file, "", limits()); err != nil {
			require.ErrorAs(t, err, new(workbook.Error))
		}
	})
}
