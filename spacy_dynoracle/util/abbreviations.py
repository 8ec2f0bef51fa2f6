"""Abbreviations that end with a full stop, of several languages.

Treebanks have few of them. Whoever learns from a treebank can learn from those that are
there how it treats all others. Abbreviations that are words too, such as "art" and
"no", are here only with a capital.
"""

# In any case.
_LOWER = """
a.d a.m adm al approx appt apr aprox aug av ave avv b.c bd bijv bkz blvd blz bros bspw
bv bzw c ca cad cap capt cf cfr ch chap cia cie cm cmdr co col corp cpl d d.h dept dhr
dk dott doç dr dra dña e.g ecc ed eds env enz eq eqs esp est et etc evtl ex exc exkl
exmo ext fa feb ff figs fr frs ft g geb gest ggf gov h hon hr hrsg hwy i.e ibid inc incl
ing inkl intl jan jh jl jr jul jun kap kg km lb lbs lt ltd ltda m m.s m.ö maj max md
messrs mevr mio mlle mm mme mr mrd mrs ms mt nos nov nr núm oct op oz p p.m p.s pag
pagg ph.d pl pp pr prof profa pt pvt pág págs r rd resp rev réf s sen sept sgt sig sigg
sn sok sr sra srta st std ste str supt t tel thur thurs tl tues tél u.a u.s ud uds univ
usw v vb vgl vol vols vs w yrd yy z.b zb zzgl éd örn şti
"""
# Words that are abbreviations with a capital.
_CAPITAL = """
Abs Abt Apt Art Aufl Dec Fig Fri Gen Mah Mar Mass Min Miss Mon No Sat Sec Sun Tab Tue
Wed
"""
# Those of them that stand before names. Some are frequent words of other languages, as
# Swedish "sig" and "sen", and stand there only with a capital.
_BEFORE_NAMES = """
adm capt cf cfr cmdr col cpl d.h dr dra dña e.g gov Hon i.e lt maj messrs mlle mm mme
mr mrs ms pp pr prof profa rev Sen sgt Sig sigg sr sra srta ste v vgl vs z.b
"""
ABBREVIATIONS = frozenset(_LOWER.split())
BEFORE_NAMES = frozenset(_BEFORE_NAMES.split())
WITH_CAPITAL = frozenset(_CAPITAL.split())
# Before a number a word is an abbreviation without a capital, too: "art. 5".
BEFORE_NUMBERS = ABBREVIATIONS | {x.lower() for x in WITH_CAPITAL} | {"abb", "app"}
# Of first names. "I" is a word of English.
INITIALS = "ABCDEFGHJKLMNOPQRSTUVWXYZÇÖÜŞ"


def is_abbreviation(stem: str) -> bool:
    """Whether a word before a full stop is mostly an abbreviation.

    Args:
        stem: The word, without the full stop.
    """
    return stem.lower() in ABBREVIATIONS or stem in WITH_CAPITAL
