package paper_test

import (
	"strconv"
	"testing"

	"github.com/dispatchd/dispatchd/platform/paper"
)

func BenchmarkPDF(b *testing.B) {
	printer := paper.New()
	for _, lines := range []int{1, 50, 300} {
		doc := invoice(plainNames, lines)
		doc.Head.Logo = paper.Picture{}
		b.Run(strconv.Itoa(lines), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := printer.PDF(b.Context(), doc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkHTML(b *testing.B) {
	printer := paper.New()
	for _, lines := range []int{1, 300} {
		doc := invoice(plainNames, lines)
		doc.Head.Logo = paper.Picture{}
		b.Run(strconv.Itoa(lines), func(b *testing.B) {
			for b.Loop() {
				if _, _, err := printer.HTML(b.Context(), doc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
