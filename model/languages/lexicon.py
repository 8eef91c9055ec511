"""Lexicon of the English-French grammar with all inflected forms.

Each word is one line of a table, so that a reader who knows French can check it. No French word
begins with an aspirated h. Every h causes elision.
"""

from dataclasses import dataclass
from typing import Literal

Gender = Literal["m", "f"]

GROUPS = {
    "person": {"person"},
    "animal": {"animal"},
    "thing": {"thing", "text"},
    "place": {"place"},
    "text": {"text"},
    "food": {"food"},
    "drink": {"drink"},
    "living": {"person", "animal"},
    "object": {"thing", "text", "place"},
    "ware": {"thing", "text", "food", "drink"},
    "coloured": {"animal", "thing", "text", "place"},
    "all": {"person", "animal", "thing", "text", "place", "food", "drink"},
}
"""Groups of noun kinds, which the tables list for each adjective and verb."""


@dataclass(frozen=True)
class Noun:
    """A noun in both languages.

    Attributes:
        english: English singular and plural. A mass noun, such as "bread", has only a singular.
        french: French singular and plural. A mass noun has only a singular.
    """

    english: tuple[str, ...]
    french: tuple[str, ...]
    gender: Gender
    kind: str

    @property
    def name(self) -> str:
        """The English singular."""
        return self.english[0]

    @property
    def is_mass(self) -> bool:
        """Whether the noun is uncountable."""
        return len(self.english) == 1


@dataclass(frozen=True)
class Adjective:
    """An adjective in both languages."""

    english: str
    french: tuple[str, str, str, str]
    before_vowel: str
    comes_before: bool
    kinds: frozenset[str]

    def agreeing(self, gender: Gender, plural: bool) -> str:
        """The French form that agrees with a noun."""
        return self.french[2 * plural + (gender == "f")]


@dataclass(frozen=True)
class Verb:
    """A verb in both languages, in the third person of the present."""

    english: tuple[str, str]
    french: tuple[str, str]
    kinds: frozenset[str]


def _kinds(groups: str) -> frozenset[str]:
    return frozenset().union(*(GROUPS[group] for group in groups.split(",") if group))


def _noun(line: str) -> Noun:
    english, french, gender, kind = line.split()
    both = (tuple(english.split("/")), tuple(french.split("/")))
    return Noun(*both, "f" if gender == "f" else "m", kind)


def _adjective(line: str, comes_before: bool) -> Adjective:
    english, french, groups = line.split()
    one, two, three, four, *vowel = french.split("/")
    before_vowel = vowel[0] if vowel else one
    return Adjective(english, (one, two, three, four), before_vowel, comes_before, _kinds(groups))


def _verb(line: str, groups: str = "") -> Verb:
    singular, plural, un, plusieurs = line.replace("/", " ").split()
    return Verb((singular, plural), (un, plusieurs), _kinds(groups))


NOUNS = tuple(
    _noun(line)
    for line in """
girl/girls fille/filles f person
boy/boys garçon/garçons m person
woman/women femme/femmes f person
man/men homme/hommes m person
child/children enfant/enfants m person
king/kings roi/rois m person
queen/queens reine/reines f person
doctor/doctors médecin/médecins m person
actress/actresses actrice/actrices f person
mother/mothers mère/mères f person
father/fathers père/pères m person
sister/sisters sœur/sœurs f person
brother/brothers frère/frères m person
cat/cats chat/chats m animal
dog/dogs chien/chiens m animal
horse/horses cheval/chevaux m animal
bird/birds oiseau/oiseaux m animal
mouse/mice souris/souris f animal
cow/cows vache/vaches f animal
goat/goats chèvre/chèvres f animal
fox/foxes renard/renards m animal
wolf/wolves loup/loups m animal
bear/bears ours/ours m animal
bee/bees abeille/abeilles f animal
donkey/donkeys âne/ânes m animal
lion/lions lion/lions m animal
flower/flowers fleur/fleurs f thing
tree/trees arbre/arbres m thing
table/tables table/tables f thing
chair/chairs chaise/chaises f thing
door/doors porte/portes f thing
window/windows fenêtre/fenêtres f thing
bed/beds lit/lits m thing
key/keys clé/clés f thing
box/boxes boîte/boîtes f thing
bag/bags sac/sacs m thing
boat/boats bateau/bateaux m thing
car/cars voiture/voitures f thing
lamp/lamps lampe/lampes f thing
knife/knives couteau/couteaux m thing
mirror/mirrors miroir/miroirs m thing
clock/clocks horloge/horloges f thing
star/stars étoile/étoiles f thing
stone/stones pierre/pierres f thing
hat/hats chapeau/chapeaux m thing
coat/coats manteau/manteaux m thing
dress/dresses robe/robes f thing
shoe/shoes chaussure/chaussures f thing
umbrella/umbrellas parapluie/parapluies m thing
book/books livre/livres m text
letter/letters lettre/lettres f text
newspaper/newspapers journal/journaux m text
house/houses maison/maisons f place
garden/gardens jardin/jardins m place
street/streets rue/rues f place
school/schools école/écoles f place
church/churches église/églises f place
kitchen/kitchens cuisine/cuisines f place
forest/forests forêt/forêts f place
park/parks parc/parcs m place
village/villages village/villages m place
town/towns ville/villes f place
castle/castles château/châteaux m place
hotel/hotels hôtel/hôtels m place
apple/apples pomme/pommes f food
cake/cakes gâteau/gâteaux m food
bread pain m food
cheese fromage m food
soup soupe f food
meat viande f food
salt sel m food
water eau f drink
milk lait m drink
wine vin m drink
coffee café m drink
""".strip().split("\n")
)

BEFORE = tuple(
    _adjective(line, comes_before=True)
    for line in """
small petit/petite/petits/petites living,object
big grand/grande/grands/grandes animal,object
beautiful beau/belle/beaux/belles/bel living,object
old vieux/vieille/vieux/vieilles/vieil all
new nouveau/nouvelle/nouveaux/nouvelles/nouvel object
young jeune/jeune/jeunes/jeunes living
pretty joli/jolie/jolis/jolies living,object
good bon/bonne/bons/bonnes object,food,drink
bad mauvais/mauvaise/mauvais/mauvaises object,food,drink
long long/longue/longs/longues thing,text
""".strip().split("\n")
)

COLOURS = tuple(
    _adjective(line, comes_before=False)
    for line in """
blue bleu/bleue/bleus/bleues coloured
red rouge/rouge/rouges/rouges coloured
green vert/verte/verts/vertes coloured
black noir/noire/noirs/noires coloured
white blanc/blanche/blancs/blanches coloured,drink
grey gris/grise/gris/grises coloured
yellow jaune/jaune/jaunes/jaunes coloured
brown marron/marron/marron/marron coloured
purple violet/violette/violets/violettes coloured
round rond/ronde/ronds/rondes object
""".strip().split("\n")
)
"""Adjectives that can follow another adjective: "the small blue flower"."""

AFTER = (
    *COLOURS,
    *(
        _adjective(line, comes_before=False)
        for line in """
heavy lourd/lourde/lourds/lourdes animal,thing
strong fort/forte/forts/fortes living
happy heureux/heureuse/heureux/heureuses living
sad triste/triste/tristes/tristes living
tired fatigué/fatiguée/fatigués/fatiguées living
clever intelligent/intelligente/intelligents/intelligentes living
brave courageux/courageuse/courageux/courageuses living
curious curieux/curieuse/curieux/curieuses living
famous célèbre/célèbre/célèbres/célèbres person,object
rich riche/riche/riches/riches person
dangerous dangereux/dangereuse/dangereux/dangereuses animal,object
quiet tranquille/tranquille/tranquilles/tranquilles living,place
slow lent/lente/lents/lentes living
fast rapide/rapide/rapides/rapides living
dirty sale/sale/sales/sales animal,object
open ouvert/ouverte/ouverts/ouvertes thing,text,place
closed fermé/fermée/fermés/fermées thing,text,place
empty vide/vide/vides/vides thing,place
broken cassé/cassée/cassés/cassées thing
modern moderne/moderne/modernes/modernes object
cold froid/froide/froids/froides thing,place,food,drink
warm chaud/chaude/chauds/chaudes thing,place,food,drink
dry sec/sèche/secs/sèches thing,food
fresh frais/fraîche/frais/fraîches food,drink
expensive cher/chère/chers/chères thing,text,food,drink
""".strip().split("\n")
    ),
)

ADJECTIVES = (*BEFORE, *AFTER)

TRANSITIVE = tuple(
    _verb(*line.split())
    for line in """
sees/see/voit/voient all
loves/love/aime/aiment all
watches/watch/regarde/regardent living,object
finds/find/trouve/trouvent all
hides/hide/cache/cachent living,ware
draws/draw/dessine/dessinent all
paints/paint/peint/peignent living,object
wants/want/veut/veulent ware
buys/buy/achète/achètent ware,place
sells/sell/vend/vendent ware,place
carries/carry/porte/portent ware,animal
chooses/choose/choisit/choisissent living,object,ware
forgets/forget/oublie/oublient living,object,ware
washes/wash/lave/lavent living,thing
hears/hear/entend/entendent living
follows/follow/suit/suivent living
knows/know/connaît/connaissent person,place,text
reads/read/lit/lisent text
eats/eat/mange/mangent food
drinks/drink/boit/boivent drink
""".strip().split("\n")
)

INTRANSITIVE = tuple(
    _verb(line)
    for line in """
sleeps/sleep/dort/dorment
works/work/travaille/travaillent
sings/sing/chante/chantent
dances/dance/danse/dansent
plays/play/joue/jouent
waits/wait/attend/attendent
runs/run/court/courent
walks/walk/marche/marchent
laughs/laugh/rit/rient
arrives/arrive/arrive/arrivent
swims/swim/nage/nagent
falls/fall/tombe/tombent
""".strip().split("\n")
)

MANNER = {
    "here": "ici",
    "well": "bien",
    "slowly": "lentement",
    "quickly": "vite",
}
"""Adverbs that end a sentence."""

FREQUENCY = {"often": "souvent", "always": "toujours", "rarely": "rarement"}
"""Adverbs before the English verb and after the French one."""

PLACING = {
    "in": ("dans", _kinds("object")),
    "on": ("sur", _kinds("thing,text")),
    "under": ("sous", _kinds("thing,text")),
    "behind": ("derrière", _kinds("living,object")),
    "near": ("près de", _kinds("living,object")),
}
"""French form and noun kinds of each preposition."""
