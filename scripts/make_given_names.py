#!/usr/bin/env python3
"""Make config/words/given_names.txt from the first names of Faker's German and English person providers.

Usage: make_given_names.py FAKER_WHEEL_OR_PACKAGE_FOLDER

The names are read from the providers' source, nothing of Faker is run. Hyphenated names stay whole and their parts are
names too; what is above all an ordinary word or a place is left out, and names of other roots that are common in
German- and English-speaking countries are added.
"""

import ast
import re
import sys
import unicodedata
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

TARGET: Final = Path(__file__).resolve().parent.parent / "config" / "words" / "given_names.txt"

LOCALES: Final = ("de_AT", "de_CH", "de_DE", "en_GB", "en_US")  # Faker has no en_AU and no en_CA

HEADER: Final = """\
# Given names of people in German- and English-speaking countries, lower-cased, NFC, one a line, sorted.
# Source: Faker {version}, https://github.com/joke2k/faker, first names of the person providers {locales}.
# Licence of the source: MIT, Copyright (c) 2012 Daniele Faraglia; the permission notice is that of LICENSE.
# Changed and made by scripts/make_given_names.py, which says what was added and left out; do not edit by hand.
"""

# Left out: names X of which a note's title "X Service" would more likely mean a word, a month, a place or a product.
# In a vault of notes such a token tells little of a person, and would stop names from being compared.
EXCLUDED: Final = """
    advent alexa alexandria amber angel april art ash asia august aurora austin autumn baptist basil beat berlin
    bert bill brandy brit brook brooklyn buddy can candy carmel carol carolina carter chad chance charity chase
    che chelsea cherry chester christ claude clay cliff conn cooper cord crystal daisy dakota dale dallas dawn
    destiny diamond dora drew duke earl ebony edel eden else ernst eve faith fern flora florence florida ford
    forest forrest france frank friday gaia gemma gene genesis georgia german ginger glen grace grant grit guy
    hagen harley harm harmony hart hazel heath holly hope houston hunter india israel ivory ivy jackson jade
    january jena jesus jeton jewel jordan joy jude juli july june juni justice kelvin king lance lane laurel
    lean liberty lily lincoln line logan london lora lore lux madison mai major marine mars marshall mason maxim
    may medina melody mentor mercedes mercy merit meta milan mile misty monday montana neo norma nova ocean
    olive opal paris parker pat peach pearl peer penny phoenix piper poppy prince princess rain ramadan raven
    ray reed rich river rocky roman rose rosemary ross rowan royal ruby rusty sage said sandy santiago savannah
    scarlet scot september serenity sherry siena sierra silvester skip sky skye sonny star sterling stone storm
    summer sunday sunny sydney sylvester tab tea temple theres till tory trinity tucker urban vale van venus
    verona vienna violet virginia wade walker will willow winter wolf wren york zion
"""

# The most common names that Faker's lists for these locales lack, by the root of most of their bearers. Written with
# their marks: whoever compares names without marks drops them on both sides.
ADDED: Final = {
    "German, Frisian, Dutch and Nordic": """
        anders arvid bjarne björk bjørn bram eike einar eskil femke fenja fiete freja friedel gerrit gunilla
        göran hauke henk ingvar jaap jannes jeroen jette joost jule jördis jørgen karel karlotta kees kjell
        klaas laurens levke maarten mads malia marieke marijke martijn mathea mattis merle mette mieke mikael
        mikko morten olle paavo pekka pieter ragnar rutger ruud sanne sjoerd smilla søren thijs tilda wim wouter
        ylva ylvi åsa
    """,
    "English and Irish": """
        aidan aiden aisling alfie angus archie aubrey avery barnaby becca bernie bethan bryony callum ciara
        ciaran dexter doug eilish eoin euan evie ewan ezra fergus fiona freddie geoff gwen hamish harper harvey
        henrietta irwin isla kenny kieron kitty liz lizzie lloyd lorna lucinda mabel maddie maggie maisie matt
        maxine mick millie mitch neville niall niamh oisin orla penelope percy pete phil phoebe rob robbie rory
        roxanne rufus sadie saoirse seamus sid sidney siobhan stan ted teddy trish trudy vince wilfred zack
    """,
    "Turkish and Kurdish": """
        aslı aslıhan atakan ayhan ayşe ayşegül azad barış berfin berk berkay beyza burcu bülent büşra cihan
        coşkun defne demet dilan dilek duygu ebru ece efe emel emrah emre erdem ergün ersin esin eylem ferhat
        firat fırat gamze gizem gökçe güler halime haydar ilayda ilker ipek kadir kübra levent melike meltem
        merve miray nesrin nihat nilgün nilüfer nurcan oktay ozan oğuz pelin pınar rojin seda selçuk semih serap
        serdar serhat sevda sevgi sevil taner tarkan tayfun tolga turgut tuğba tülin ufuk uğur yavuz yağmur
        yeliz yıldız zafer zeliha çağla çiğdem özcan özge özgür özkan ümit ünal şahin şebnem şeyma şule
    """,
    "Arabic, Persian and Afghan": """
        abdallah abdelkader abdulrahman adel adil aicha akram alireza amal amjad anas anwar arash ayman ayoub
        basel bashar dariush ehsan elham fadi faisal farah farhad farid farida fatemeh firas habib hafsa haidar
        hamed hamid hanan hatem houda husam idris iman jafar jalal jamal jamila javad kamal kamran khalid khalil
        mahdi mahmood mahsa majid masoud mehran mohsen mostafa nabil nabila nader nadim naima najib nasrin
        nasser nawal nazanin nour omid osama othman parisa parvin rachid rahim rami rania rashid riad roya saad
        saida salah saleh salim salman samar samer shadi shahin shirin siham soraya tamer tarek tariq wael walid
        yahya younes youssef zainab ziad
    """,
    "Polish, Czech, Slovak and Hungarian": """
        andrás anikó antoni balázs bartek bartosz bożena błażej dagmara dawid eliška elżbieta eszter ewelina
        franciszek gergely gyula honza ildikó izabela jarek jiří judit justyna józef kateřina kinga klára
        krisztina lech lenka libor maciej markéta martyna mateusz małgorzata michał mikołaj mirosław oliwia
        patryk paweł przemysław radek radosław rafał stanisław szymon sławomir tereza vojtěch václav weronika
        wiesław wiktor wiktoria władysław zdeněk zuzanna łukasz
    """,
    "Russian and Ukrainian": """
        aleksei aleksey alexandr alexey anatoly andrii arkadi artem artjom bohdan darja darya dmitri dmitrij
        dmitriy dmitry dmytro evgenia evgenij evgeny gennadi grigori grigorij ihor ilya jekaterina jewgeni
        jewgenia jewgenij kateryna kirill ksenia ljubow maksym mykola nadezhda nastja nikolay oksana oleg oleh
        oleksandr olha pavlo pjotr ruslan sergey serhii svitlana taras tatyana vasili vasily vitalij vitaliy
        vitaly vladislav volodymyr wadim wassili wiktor witali wladislaw yana yaroslav yekaterina yelena yevgeny
        yulia yuliia yuri yuriy zhanna
    """,
    "South Slavic, Albanian, Romanian and Greek": """
        adela alexandru andreea antonija besa borislav cătălin davor despina dimitra dimitris dritan dušan elvir
        georgi gheorghe giannis hrvoje ilie ioana ionela ionuț jasna kostas krešimir mehmed merima mihai mirza
        mădălina nebojša nermina nicolae nicoleta nikos ognjen panagiotis petru radu răzvan sead senka siniša
        snežana sorin srđan stefanos stevan stojan vasil vasile vasilis vlad zlata zlatan zvonimir đorđe željka
        željko
    """,
    "Italian, Spanish, Portuguese and French": """
        agustín andrés antônio arnaud arturo aurélien baptiste benedetta benoît bernardo ciro clément edoardo
        esteban fabien gianmarco gonzalo guilherme guillaume guillermo gustavo henrique ignacio inés joaquín
        jordi julián luiz martín matthieu matías montserrat nicolás nicolò pilar romain sylvain thibault théo
        álvaro émile étienne óscar
    """,
    "South and East Asian, African": """
        aditya ajay akira amit anand anil anita anjali arjun ashok babatunde chandra chidi deepa deepak dinesh
        divya emeka fatou fatoumata ganesh gita haruka hiroshi indira jyoti kavita keiko kenji kofi krishna
        kwame lakshmi linh mahesh makoto mamadou manish manoj meera mehul minh mohan mukesh naoko neha ngozi
        nikhil nisha phuong pooja pradeep priya priyanka rahul rajesh rajiv rakesh ramesh ravi rohan sachin
        sandeep sanjay shankar sunil sunita suresh takashi takeshi thanh thuy tomoko trang tuan varun vijay
        vikram vinod yohannes yoko yonas yuki yuko
    """,
}


def spelled(text: str) -> str:
    """Bring a name to the form of the list: lower-cased, NFC, hyphens for spaces."""
    return "-".join(unicodedata.normalize("NFC", text.lower()).split())


def version_of(package: Path | zipfile.Path) -> str:
    """Give Faker's version as the package says it."""
    found = re.search(r'^VERSION = "([^"]+)"', (package / "__init__.py").read_text("utf-8"), re.MULTILINE)
    return found[1] if found else sys.exit("this package names no VERSION: is it Faker?")


def first_names(source: str) -> Iterator[str]:
    """Yield the first names in one provider's source: every string assigned to a variable `first_names…`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id.startswith("first_names") for target in node.targets
        ):
            for part in ast.walk(node.value):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value


def with_parts(names: Iterable[str]) -> Iterator[str]:
    """Yield the names and the parts of hyphenated ones, without abbreviated ones and single letters."""
    for name in names:
        parts = name.split("-")
        yield from (part for part in {name, *parts} if part.replace("-", "").isalpha() and len(part) > 1)


def main() -> None:
    """Read the package named on the command line and write the list."""
    if len(sys.argv) != 2:  # noqa: PLR2004 - the program and its one argument
        sys.exit(__doc__)
    given = Path(sys.argv[1])
    package = given if given.is_dir() else zipfile.Path(given) / "faker"
    names = set[str]()
    for locale in LOCALES:
        source = (package / "providers" / "person" / locale / "__init__.py").read_text("utf-8")
        names.update(with_parts(map(spelled, first_names(source))))
    names.update(*(map(spelled, added.split()) for added in ADDED.values()))
    names.difference_update(map(spelled, EXCLUDED.split()))
    header = HEADER.format(version=version_of(package), locales=", ".join(LOCALES))
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(header + "".join(f"{name}\n" for name in sorted(names)), encoding="utf-8", newline="\n")
    sys.stdout.write(f"{TARGET}: {len(names)} names\n")


if __name__ == "__main__":
    main()
