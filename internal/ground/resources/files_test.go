package resources

import "testing"

// What sha256sum prints of two files, hashed again: printf one > a; printf two > b;
// sha256sum a b | sha256sum.
func TestDigestIsThatOfSha256sum(t *testing.T) {
	got := DigestOf(map[string][]byte{"b": []byte("two"), "a": []byte("one")})
	if want := "d17138d96382403690482a89da33475336ab36c046a6912a86badedd62301cb8"; got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}
