// Package journaltest writes files of systemd's journal: gigabytes of entries of many units and days,
// which no journald would take from anybody else in the time of a test. What is in an entry is left
// to the caller; reading is left to journalctl.
package journaltest

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"os"
	"time"
)

// Entry is one entry. Fields are "NAME=value"; those that many entries share are stored once.
type Entry struct {
	At     time.Time
	Fields []string
}

// The format, as systemd documents it in JOURNAL_FILE_FORMAT.
const (
	headerSize = 240
	keyedHash  = 1 << 2 // incompatible flag: SipHash with the file's id
	archived   = 2

	objectData       = 1
	objectEntry      = 3
	objectDataTable  = 4
	objectFieldTable = 5
	objectEntryArray = 6

	fieldBuckets = 16
)

// data is an object of one field's value, and the entries that have it.
type data struct {
	offset, next uint64
	hash         uint64
	text         string
	entries      []uint64
}

// writer has the offsets of what is laid out so far.
type writer struct {
	id      [16]byte
	buckets []*data // the last of each chain
	heads   []*data
	known   map[string]*data
	order   []*data
	end     uint64
	last    uint64 // offset of the last object
	objects uint64
}

// Write writes a file that journald would call archived. The entries are oldest first, and of one boot.
func Write(path string, boot [16]byte, firstSeqnum uint64, entries []Entry) error {
	if len(entries) == 0 {
		return fmt.Errorf("write %s: no entries", path)
	}
	w := &writer{known: map[string]*data{}, end: headerSize}
	_, _ = rand.Read(w.id[:]) // never fails
	fieldTable := w.place(16 + 16*fieldBuckets)
	// About as many buckets as values; the chains of a few more are short.
	buckets := len(entries) + 1024
	w.buckets, w.heads = make([]*data, buckets), make([]*data, buckets)
	dataTable := w.place(16 + 16*uint64(buckets))
	places := make([]uint64, len(entries))
	items := make([][]*data, len(entries))
	for i, e := range entries {
		for _, field := range e.Fields {
			items[i] = append(items[i], w.data(field))
		}
		places[i] = w.place(64 + 16*uint64(len(e.Fields)))
		for _, d := range items[i] {
			d.entries = append(d.entries, places[i])
		}
	}
	all := w.place(24 + 8*uint64(len(entries)))
	arrays := make([]uint64, len(w.order))
	for i, d := range w.order {
		if n := uint64(len(d.entries)); n > 1 { // the first is in the object itself
			arrays[i] = w.place(24 + 8*(n-1))
		}
	}
	out := make([]byte, w.end)
	w.header(out, boot, firstSeqnum, entries, fieldTable, dataTable, all)
	w.tables(out, fieldTable, dataTable)
	for i, d := range w.order {
		w.put(out, d, arrays[i])
	}
	for i, e := range entries {
		putEntry(out, places[i], firstSeqnum+uint64(i), boot, e.At, items[i])
	}
	putArray(out, all, places)
	if err := os.WriteFile(path, out, 0o640); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// place finds room for an object.
func (w *writer) place(size uint64) uint64 {
	at := w.end
	w.end = (at + size + 7) &^ 7
	w.last = at
	w.objects++
	return at
}

// data is the object of a field, laid out when it comes for the first time.
func (w *writer) data(field string) *data {
	if d := w.known[field]; d != nil {
		return d
	}
	d := &data{text: field, hash: sipHash(w.id, field), offset: w.place(64 + uint64(len(field)))}
	w.known[field], w.order = d, append(w.order, d)
	b := d.hash % uint64(len(w.buckets))
	if before := w.buckets[b]; before != nil {
		before.next = d.offset
	} else {
		w.heads[b] = d
	}
	w.buckets[b] = d
	return d
}

var le = binary.LittleEndian

func putObject(out []byte, at uint64, kind byte, size uint64) {
	out[at] = kind
	le.PutUint64(out[at+8:], size)
}

func (w *writer) header(out []byte, boot [16]byte, first uint64, entries []Entry, fieldTable, dataTable, all uint64) {
	copy(out, "LPKSHHRH")
	le.PutUint32(out[12:], keyedHash)
	out[16] = archived
	copy(out[24:], w.id[:])
	copy(out[40:], boot[:]) // of no machine in particular: the folder says which
	copy(out[56:], boot[:])
	copy(out[72:], boot[:]) // numbers go on from file to file
	head, tail := entries[0].At, entries[len(entries)-1].At
	n := uint64(len(entries))
	for i, v := range []uint64{
		headerSize, w.end - headerSize, dataTable + 16, 16 * uint64(len(w.buckets)), fieldTable + 16, 16 * fieldBuckets,
		w.last, w.objects, n, first + n - 1, first, all, uint64(head.UnixMicro()), uint64(tail.UnixMicro()), monotonic(tail),
		uint64(len(w.order)), 0, 0, w.objects - n - uint64(len(w.order)) - 2,
	} {
		le.PutUint64(out[88+8*i:], v)
	}
}

// monotonic goes with the clock, from file to file: where they disagree, journalctl finds less than there is.
func monotonic(at time.Time) uint64 { return uint64(at.UnixMicro()) }

func (w *writer) tables(out []byte, fieldTable, dataTable uint64) {
	putObject(out, fieldTable, objectFieldTable, 16+16*fieldBuckets)
	putObject(out, dataTable, objectDataTable, 16+16*uint64(len(w.buckets)))
	for i, head := range w.heads {
		if head != nil {
			at := dataTable + 16 + 16*uint64(i)
			le.PutUint64(out[at:], head.offset)
			le.PutUint64(out[at+8:], w.buckets[i].offset)
		}
	}
}

func (w *writer) put(out []byte, d *data, array uint64) {
	putObject(out, d.offset, objectData, 64+uint64(len(d.text)))
	for i, v := range []uint64{d.hash, d.next, 0, d.entries[0], array, uint64(len(d.entries))} {
		le.PutUint64(out[d.offset+16+8*uint64(i):], v)
	}
	copy(out[d.offset+64:], d.text)
	if array != 0 {
		putArray(out, array, d.entries[1:])
	}
}

func putArray(out []byte, at uint64, entries []uint64) {
	putObject(out, at, objectEntryArray, 24+8*uint64(len(entries)))
	for i, e := range entries {
		le.PutUint64(out[at+24+8*uint64(i):], e)
	}
}

func putEntry(out []byte, at, seqnum uint64, boot [16]byte, when time.Time, items []*data) {
	putObject(out, at, objectEntry, 64+16*uint64(len(items)))
	le.PutUint64(out[at+16:], seqnum)
	le.PutUint64(out[at+24:], uint64(when.UnixMicro()))
	le.PutUint64(out[at+32:], monotonic(when))
	copy(out[at+40:], boot[:])
	le.PutUint64(out[at+56:], seqnum) // a hash over the items, to tell two entries apart
	for i, d := range items {
		le.PutUint64(out[at+64+16*uint64(i):], d.offset)
		le.PutUint64(out[at+72+16*uint64(i):], d.hash)
	}
}
