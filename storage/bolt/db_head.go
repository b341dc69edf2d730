package bolt

import (
	"encoding/binary"
	"hash/fnv"
	"io"
	"os"
)

// A head is what a bbolt file says about itself in one of its first two pages, after the
// header of that page:
//
//	magic      4 bytes, little endian as all others
//	version    4 bytes
//	page size  4 bytes
//	flags      4 bytes
//	root      16 bytes
//	list       8 bytes, the first page of the list of free pages, or noList
//	pages      8 bytes, how many pages the file has
//	commit     8 bytes, the number of the commit that wrote it
//	checksum   8 bytes, FNV-1a of the others
//
// bbolt checks all this when it opens the file. It is read here to know before what that
// opening will cost.
type head struct {
	pageSize, list, pages, commit uint64
}

const (
	pageHeaderLen = 16
	headLen       = 64
	headMagic     = 0xED0CDAED
	headVersion   = 2
	noList        = ^uint64(0)
)

// lastHead returns the head of the last commit. It reports false if the file has none
// that is whole, or is of another kind.
func lastHead(file io.ReaderAt) (last head, ok bool) {
	page := uint64(os.Getpagesize())
	if first, whole := readHead(file, 0); whole {
		page, last, ok = first.pageSize, first, true
	}
	if second, whole := readHead(file, int64(page)); whole && second.commit >= last.commit {
		last, ok = second, true
	}
	return last, ok
}

func readHead(file io.ReaderAt, offset int64) (h head, whole bool) {
	var b [headLen]byte
	if _, err := file.ReadAt(b[:], offset+pageHeaderLen); err != nil {
		return head{}, false
	}
	sum := fnv.New64a()
	_, _ = sum.Write(b[:headLen-8])
	little := binary.LittleEndian
	if little.Uint32(b[0:]) != headMagic || little.Uint32(b[4:]) != headVersion || little.Uint64(b[headLen-8:]) != sum.Sum64() {
		return head{}, false
	}
	return head{
		pageSize: uint64(little.Uint32(b[8:])),
		list:     little.Uint64(b[32:]),
		pages:    little.Uint64(b[40:]),
		commit:   little.Uint64(b[48:]),
	}, true
}
