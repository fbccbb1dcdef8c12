package usage

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"time"
)

func at(day, hour int) time.Time { return time.Date(2026, 3, day, hour, 0, 0, 0, time.UTC) }

// What is appended comes back, also from many at once, and a torn line costs nothing but itself.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "below", "usage.jsonl")
	if list, err := Read(path, time.Time{}); list != nil || err != nil {
		t.Fatalf("got %v, %v of no file", list, err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				if err := Append(path, Entry{Time: at(2, 1), Agent: "A", Tokens: 3}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("null\n[]\n{}\n{\"time\":\"2026-03"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	for _, e := range []Entry{{Time: at(2, 2), Agent: "behind the torn line"}, {Time: at(1, 1), Agent: "old"}} {
		if err := Append(path, e); err != nil {
			t.Fatal(err)
		}
	}
	list, err := Read(path, at(2, 0))
	if len(list) != 161 || err != nil {
		t.Errorf("got %d entries, %v; want 161", len(list), err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v, %v", info.Mode(), err)
	}
}

// What is read of a long file is what there is since a time, wherever a part of it begins.
func TestLong(t *testing.T) {
	path := filepath.Join(t.TempDir(), "usage.jsonl")
	var text []byte
	const old, young = 3000, 2000 // each more than is read at first
	for i := range old + young {
		e := Entry{Time: at(1, 1), Agent: "A", Folder: "/p", Tokens: uint64(i)}
		if i >= old {
			e.Time = at(2, 1)
		}
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		text = append(append(text, line...), '\n')
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for since, want := range map[time.Time]int{at(1, 0): old + young, at(2, 0): young, at(3, 0): 0} {
		list, err := Read(path, since)
		if err != nil || len(list) != want || want > 0 && list[0].Tokens != uint64(old+young-want) {
			t.Errorf("since %v: %d entries, %v; want %d", since, len(list), err, want)
		}
	}
}

func TestSums(t *testing.T) {
	list := []Entry{
		{Time: at(1, 23), Agent: "A", Model: "m", Folder: "/p", Tokens: 10, Cost: 0.5},
		{Time: at(2, 1), Agent: "B", Folder: "/p", Tokens: 5, Cost: 1, Currency: "EUR"},
		{Time: at(2, 2), Agent: "A", Model: "m", Folder: "/q", Cost: 0.25, Currency: "USD"},
	}
	usd, eur := map[string]float64{"USD": 0.75}, map[string]float64{"EUR": 1}
	for by, want := range map[By][]Sum{
		Day: {
			{"2026-03-02", 2, 5, map[string]float64{"EUR": 1, "USD": 0.25}},
			{"2026-03-01", 1, 10, map[string]float64{"USD": 0.5}},
		},
		Agent:   {{"A", 2, 10, usd}, {"B", 1, 5, eur}},
		Model:   {{"m", 2, 10, usd}, {"unknown", 1, 5, eur}},
		Project: {{"/p", 2, 15, map[string]float64{"EUR": 1, "USD": 0.5}}, {"/q", 1, 0, map[string]float64{"USD": 0.25}}},
	} {
		if got := SumBy(list, by, time.UTC); !reflect.DeepEqual(got, want) {
			t.Errorf("by %s: got %v, want %v", by, got, want)
		}
	}
	east := time.FixedZone("east", 2*60*60) // there the first turn is one of the second day
	if got := SumBy(list, Day, east); len(got) != 1 || got[0].Turns != 3 {
		t.Errorf("got %v, want one day", got)
	}
	if got := Spent(list, at(2, 12), "USD"); got != 0.25 {
		t.Errorf("spent %v USD, want 0.25", got)
	}
	if got := Spent(list, at(2, 12).In(east), "USD"); got != 0.75 {
		t.Errorf("spent %v USD in the east, want 0.75", got)
	}
}
