package show

import (
	"bufio"
	"errors"
	"io"
	"unicode/utf8"
)

// maxPiece of a line is written at once, in bytes.
const maxPiece = 32 << 10

// copyLines of a text. What cleans a text must not get half of a character: so it gets lines, and of long ones pieces
// that end between two characters. Bytes that are no UTF-8 become U+FFFD.
func copyLines(out io.Writer, in io.Reader) error {
	reader := bufio.NewReader(in)
	var piece []byte
	for {
		r, _, err := reader.ReadRune()
		if err == nil {
			piece = utf8.AppendRune(piece, r)
		}
		if len(piece) > 0 && (err != nil || r == '\n' || len(piece) > maxPiece) {
			if _, err := out.Write(piece); err != nil {
				return err
			}
			piece = piece[:0]
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
